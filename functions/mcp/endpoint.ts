// POST /mcp and POST /mcp/{instance_id}: the Model Context Protocol over Streamable HTTP.
import { wire } from '../wiring.ts';
import { createMcpFunction } from './serve.ts';

export const handler = createMcpFunction(wire(process.env));
