// Runs the static checks side by side and reports them in a fixed order: format, lint, types, unused.
// Every check runs to its end, so one run shows everything that is wrong; any failure fails the run.
import { spawn } from 'node:child_process';

const checks = ['format:check', 'lint', 'types', 'unused'];

const results = await Promise.all(checks.map(run));

for (const { name, code, seconds, output } of results) {
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'}  ${name.padEnd(12)} ${seconds.toFixed(1)} s`);
  if (code !== 0) console.log(output);
}
process.exitCode = results.every(({ code }) => code === 0) ? 0 : 1;

function run(name) {
  const started = performance.now();
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ name, code, seconds: (performance.now() - started) / 1000, output }),
    );
  });
}
