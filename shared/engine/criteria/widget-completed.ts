// widget_completed: the person has filled in a widget, with enough items.
import * as z from 'zod';
import { strict } from '../model/strict.ts';
import { defineChecker, MET, unmet } from './checker.ts';

export const widgetCompleted = defineChecker({
  type: 'widget_completed',
  params: strict({ widget_type: z.string().min(1), min_items: z.int().nonnegative().default(1) }),
  check: ({ record }, { widget_type, min_items }) => {
    const widget = Object.hasOwn(record.widgets, widget_type) ? record.widgets[widget_type] : undefined;
    const found = widget?.items.length ?? 0;
    if (widget !== undefined && found >= min_items) return MET;
    const reason = widget
      ? `The ${widget_type} widget holds ${found} of ${min_items} items; the person needs to add ${min_items - found} more.`
      : `The ${widget_type} widget is not completed yet; ask for it with need_input and widget_type "${widget_type}".`;
    return unmet(reason, { widget_type, required: min_items, found });
  },
});
