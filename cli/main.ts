// The command as it is run from a shell: its arguments, its streams, its exit code.
import { run } from './run.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error; // the reader has left, as in `stepgate test FILE | head`
});
process.exitCode = await run(process.argv.slice(2), {
  out: (text) => process.stdout.write(`${text}\n`),
  ...(process.stdout.isTTY ? { draw: (text: string) => void process.stdout.write(text) } : {}),
  err: (text) => process.stderr.write(`${text}\n`),
});
