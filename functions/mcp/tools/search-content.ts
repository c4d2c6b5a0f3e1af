// A search over what an instance has unlocked.
import * as z from 'zod';
import { searchContent } from '../../../shared/app/search-content.ts';
import { ContentSearch } from '../../../shared/app/schemas-views.ts';
import { strict } from '../../../shared/engine/index.ts';
import { defineTool } from '../tool.ts';
import { InstanceId, OF_INSTANCE } from './arguments.ts';

export const searchContentTool = defineTool({
  name: 'search_content',
  title: 'Search what is open',
  description:
    'Finds passages in the steps that are open to you and in what completed ones left behind, the best first.',
  kind: 'reads',
  input: strict({
    instance_id: InstanceId,
    query: z.string().trim().min(1).max(1_000).describe('What to look for.'),
    limit: z.int().min(1).max(50).default(5),
    max_tokens: z.int().min(50).max(20_000).default(1_000).describe('About how much text to give.'),
  }),
  aliases: { ...OF_INSTANCE, query: ['q'] },
  output: ContentSearch,
  run: ({ instance_id, query, ...rest }, { app, caller }) =>
    searchContent(app, instance_id, caller, { q: query, ...rest }),
});
