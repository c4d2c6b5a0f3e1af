import { describe, expect, it } from 'vitest';
import { mermaid } from '../../shared/engine/views/mermaid.ts';
import { AVOIDS_A_REQUIRED_STEP, DELIVERY, stepgate, temporaryFiles, workflowOf } from './files.ts';

const file = temporaryFiles();

describe('stepgate graph', () => {
  it('draws steps, ways with role and guard, and ends', async () => {
    const { code, out } = stepgate('graph', await file('delivery.yaml', DELIVERY));
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      'stateDiagram-v2',
      '  direction TB',
      '  state "1. todo" as s1',
      '  state "2. coding" as s2',
      '  state "3. testing" as s3',
      '  state "4. bugs" as s4',
      '  state "5. done" as s5',
      '  [*] --> s1',
      '  s1 --> s2 : CLAIM_TASK by developer',
      '  s2 --> s3 : COMMIT_CODE by developer [has_commit]',
      '  s3 --> s5 : PASS by qa [tests_passing]',
      '  s3 --> s4 : REJECT by qa',
      '  s4 --> s3 : FIX_BUGS by developer [has_commit]',
      '  s5 --> [*] : success',
    ]);
  });

  it('lets no title or guard break the diagram', () => {
    const title = JSON.stringify('x" as y\n  [*] --> z; %% <script>#quot; 日本');
    const drawn = mermaid(
      workflowOf(
        `steps: [{id: a, title: ${title}, agent: w, next: {ok: null}, transitions: [{on: GO, to: end, guard: 'data.x == "a:b;c" && true'}]}]`,
      ),
    );
    const lines = drawn.trimEnd().split('\n');
    expect(lines).toHaveLength(6);
    expect(lines[2]).toMatch(/^ {2}state "[^"<>;%]*(#\d+;[^"<>;%]*)*" as s1$/);
    expect(lines[2]).toContain('日本');
    expect(lines[5]).toMatch(/^ {2}s1 --> \[\*\] : GO \[([^;:"]|#\d+;)*\]$/);
  });

  it('marks optional steps and failing ends, and shortens long titles', () => {
    const drawn = mermaid(
      workflowOf(
        `steps: [{id: a, required: false, title: ${'long '.repeat(100)}, agent: w, next: {ok: good, fail: bad}}, {id: good, final: success}, {id: bad, final: failure}]`,
      ),
    );
    expect(drawn).toContain('…" as s1');
    expect(drawn).toContain('s3 --> [*] : failure');
    expect(drawn).toContain('  class s3 failure');
  });

  it('draws nothing that does not prove', async () => {
    const { code, out, err } = stepgate('graph', await file('leaky.yaml', AVOIDS_A_REQUIRED_STEP));
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('does not prove');
  });
});
