// The floor behind HTTP: a bare node:http server that does one read and one conditional put for each signal.
// Run as a process of its own, with the store's endpoint as its argument; prints its port.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { floorSignal, floorStart } from './floor.ts';
import { clientOf } from './store.ts';

const client = clientOf(process.argv[2] ?? '');

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { id: string }; // from our own driver
    const work = request.url === '/start' ? floorStart(client, id) : floorSignal(client, id);
    work.then(
      (step) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ step })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port)); // listening on TCP
