// An MCP server for one request: the SDK speaks the protocol, a surface says what there is.
import {
  CLIENT_CAPABILITIES_META_KEY,
  isInputRequiredResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { App } from '../../shared/app/app.ts';
import type { Actor } from '../../shared/engine/index.ts';
import { protocolError, toolError } from './errors.ts';
import { TEMPLATES } from './resources.ts';
import type { Surface } from './surface.ts';
import type { Asking, Tool } from './tool.ts';

const SERVER_INFO = { name: 'stepgate', title: 'Stepgate', version: '0.1.0' };

export interface Serving {
  readonly app: App;
  readonly caller: Actor;
  readonly key: string | undefined;
  readonly surface: Surface;
  /** A client of 2026-07-28, which can be asked for input. */
  readonly modern: boolean;
}

/** The SDK's own is made anew for each server and never used: what forms bring back is judged by the engine. */
const NO_VALIDATOR = {
  getValidator: () => {
    throw new Error('Nothing is validated by JSON Schema here.');
  },
};

export function createServer({ surface, modern, ...who }: Serving): McpServer {
  const mcp = new McpServer(SERVER_INFO, {
    instructions: surface.instructions,
    jsonSchemaValidator: NO_VALIDATOR,
  });
  const { server } = mcp;
  const asked = ({ mcpReq }: ServerContext): Asking => ({
    ...who,
    elicits:
      modern && showsForms(new Map(Object.entries(mcpReq.envelope ?? {})).get(CLIENT_CAPABILITIES_META_KEY)),
    responses: mcpReq.inputResponses,
  });
  server.registerCapabilities({ tools: {}, resources: {}, prompts: {} });
  server.setRequestHandler('tools/list', (_, context) =>
    answered(async () => ({ tools: (await surface.list(asked(context))).map(describe) })),
  );
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args } }, context) => {
    const asking = asked(context);
    const tool = await answered(() => surface.find(name, asking, args));
    if (tool === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool: ${shortened(name)}. tools/list says what there is now.`,
      );
    try {
      const result = await tool.call(args, asking);
      if (isInputRequiredResult(result)) return result;
      const structuredContent = { ...result };
      return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent };
    } catch (error) {
      return toolError(error);
    }
  });
  server.setRequestHandler('resources/list', (_, context) =>
    answered(async () => ({ resources: [...(await surface.resources(asked(context)))] })),
  );
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler('resources/read', ({ params: { uri } }, context) =>
    answered(async () => ({ contents: [await surface.read(uri, asked(context))] })),
  );
  server.setRequestHandler('prompts/list', () => ({ prompts: [...surface.prompts] }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: args = {} } }, context) =>
    answered(async () => {
      const text = await surface.prompt(name, args, asked(context));
      if (text === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${shortened(name)}.`);
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    }),
  );
  return mcp;
}

async function answered<T>(give: () => Promise<T>): Promise<T> {
  try {
    return await give();
  } catch (error) {
    throw protocolError(error);
  }
}

function describe({ name, title, description, kind, inputSchema, outputSchema }: Tool) {
  return {
    name,
    title,
    description,
    inputSchema,
    outputSchema,
    annotations: {
      readOnlyHint: kind === 'reads',
      destructiveHint: kind === 'destroys',
      openWorldHint: false,
    },
  };
}

/** `elicitation: {}` means forms, as it did before there was anything else. */
function showsForms(capabilities: unknown): boolean {
  if (typeof capabilities !== 'object' || capabilities === null || !('elicitation' in capabilities))
    return false;
  const { elicitation } = capabilities;
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  return 'form' in elicitation || Object.keys(elicitation).length === 0;
}

const shortened = (name: string): string => (name.length > 100 ? `${name.slice(0, 100)}…` : name);
