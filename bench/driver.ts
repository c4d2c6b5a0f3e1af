// A caller over HTTP with kept-alive connections, the same for every server that is measured.
import { Agent, request } from 'node:http';

export interface Driver {
  post(path: string, body: object): Promise<Record<string, unknown>>;
  get(path: string): Promise<Record<string, unknown>>;
  close(): void;
}

export function driverOf(origin: string, token?: string): Driver {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const call = (method: string, path: string, body?: object): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      const length = { 'content-length': Buffer.byteLength(text) };
      const sent = request(
        `${origin}${path}`,
        { method, agent, headers: { ...headers, ...length } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const said = Buffer.concat(chunks).toString('utf8');
            if ((response.statusCode ?? 500) >= 300) reject(new Error(`${method} ${path}: ${said}`));
            else resolve(JSON.parse(said) as Record<string, unknown>); // servers of ours answer with objects
          });
        },
      );
      sent.on('error', reject);
      sent.end(text);
    });
  return {
    post: (path, body) => call('POST', path, body),
    get: (path) => call('GET', path),
    close: () => agent.destroy(),
  };
}
