// Runs the command in process on definitions written to a directory of their own.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { run } from '../../cli/run.ts';
import { load } from '../../shared/engine/compile/compile.ts';
import type { Workflow } from '../../shared/engine/model/workflow.ts';
import { parse } from 'yaml';

export const workflowOf = (yaml: string): Workflow => load(parse(yaml), { name: 'inline' });

export function temporaryFiles(): (name: string, text: string) => Promise<string> {
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stepgate-cli-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));
  return async (name, text) => {
    const file = join(directory, name);
    await writeFile(file, text);
    return file;
  };
}

export function stepgate(...args: string[]): { code: number; out: string; err: string } {
  const out: string[] = [];
  const err: string[] = [];
  const code = run(args, { out: (line) => out.push(line), err: (line) => err.push(line) });
  if (typeof code !== 'number') throw new Error(`"stepgate ${args.join(' ')}" is one to wait for.`);
  return { code, out: out.join('\n'), err: err.join('\n') };
}

export const STRAIGHT = `
id: straight
steps:
  - {id: first, agent: writer}
  - {id: second, agent: reader}
`;

/** "review" is required, but "draft" can go round it. */
export const AVOIDS_A_REQUIRED_STEP = `
id: leaky
steps:
  - {id: draft, agent: writer, next: {ok: review, QUICK: publish}}
  - {id: review, agent: reviewer}
  - {id: publish, agent: writer}
`;

export const DELIVERY = `
roles: [developer, qa]
guards:
  - {name: tests_passing, check: test_results.passed > 0.9}
  - {name: has_commit, check: artifacts.commit_sha exists}
states:
  - {id: todo, initial: true, allowed_roles: [developer]}
  - {id: coding, allowed_roles: [developer]}
  - {id: testing, allowed_roles: [qa]}
  - {id: bugs, allowed_roles: [developer]}
  - {id: done, terminal: true, allowed_roles: [qa]}
transitions:
  - {from: todo, to: coding, action: CLAIM_TASK, role_required: developer, implied: true}
  - {from: coding, to: testing, action: COMMIT_CODE, role_required: developer, guard: has_commit}
  - {from: testing, to: done, action: PASS, role_required: qa, guard: tests_passing}
  - {from: testing, to: bugs, action: REJECT, role_required: qa, feedback_required: true}
  - {from: bugs, to: testing, action: FIX_BUGS, role_required: developer, guard: has_commit}
`;
