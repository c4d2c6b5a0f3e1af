// What else is legal in the bound instance besides the step's own actions: claims, widgets, overriding, ending, resuming.
import * as z from 'zod';
import { tell } from '../../../shared/app/tell.ts';
import { bodies, type SignalType } from '../../../shared/engine/index.ts';
import { bindTool, defineTool, type Tool } from '../tool.ts';
import { cancelWorkflow, resumeWorkflow } from '../tools/recovery.ts';
import { BoundAnswer, boundAnswer } from './action-tool.ts';
import type { Bound } from './instance.ts';
import { type OtherName, otherNames } from './names.ts';
import { answerTool, approveTool } from './person-tools.ts';

export const otherTools = (bound: Bound): readonly Tool[] =>
  otherNames(bound.moves).map((name) => MAKE[name](bound));

const MAKE: Readonly<Record<OtherName, (bound: Bound) => Tool>> = {
  approve_step: approveTool,
  answer_questions: answerTool,
  submit_widget: ({ instance_id, moves: { widgets } }) =>
    telling(instance_id, {
      name: 'submit_widget',
      title: 'Submit a widget',
      description: `Hands in what a person put into a widget (${widgets.join(', ')}).`,
      type: 'widget',
      input: bodies.widget.extend({ widget_type: z.enum(widgets as [string, ...string[]]) }), // one at least, or the tool is not there
    }),
  claim_task: ({ instance_id }) =>
    telling(instance_id, {
      name: 'claim_task',
      title: 'Claim the task',
      description: 'Takes the task with a lease: while it runs, nobody else can act on the step.',
      type: 'claim',
      input: bodies.claim,
    }),
  heartbeat_task: ({ instance_id }) =>
    telling(instance_id, {
      name: 'heartbeat_task',
      title: 'Keep the task',
      description: 'Extends the lease of the task you have claimed.',
      type: 'heartbeat',
      input: bodies.heartbeat,
    }),
  release_task: ({ instance_id }) =>
    telling(instance_id, {
      name: 'release_task',
      title: 'Give the task back',
      description: 'Gives the task you have claimed back, for others to take.',
      type: 'release',
      input: bodies.release,
    }),
  override_block: ({ instance_id }) =>
    telling(instance_id, {
      name: 'override_block',
      title: 'Overrule a block',
      description:
        'Takes the current step on although something is missing, as an admin, with the reason on record.',
      type: 'override',
      input: bodies.override,
      kind: 'destroys',
    }),
  resume_workflow: ({ instance_id, moves: { resume_from } }) =>
    bindTool(
      resumeWorkflow,
      'workflow_id',
      instance_id,
      `Brings the instance back, from where it stopped or from one of: ${resume_from.join(', ')}. What came after is undone.`,
    ),
  cancel_workflow: ({ instance_id }) => bindTool(cancelWorkflow, 'workflow_id', instance_id),
};

interface Telling<I extends z.ZodRawShape> {
  readonly name: OtherName;
  readonly title: string;
  readonly description: string;
  readonly type: SignalType;
  readonly input: z.ZodObject<I, z.core.$strict>;
  readonly kind?: Tool['kind'];
}

const telling = <I extends z.ZodRawShape>(
  instance_id: string,
  { type, kind = 'writes', ...tool }: Telling<I>,
): Tool =>
  defineTool({
    ...tool,
    kind,
    output: BoundAnswer,
    run: async (body, asking) => {
      const { app, caller, key } = asking;
      return boundAnswer(await tell(app, { instance_id, type, body, caller, key }), asking);
    },
  });
