// Every key in both tables. Nothing else builds one.
import { COMMIT_PREFIX } from '../names.ts';

/** So many digits that logs sort by `seq` for as long as anyone lives. */
const SEQ_DIGITS = 12;

export const commitKey = (instance_id: string, seq: number) => ({
  pk: `W#${instance_id}`,
  sk: `${COMMIT_PREFIX}${String(seq).padStart(SEQ_DIGITS, '0')}`,
});
export const seqOf = (sk: string): number => Number(sk.slice(COMMIT_PREFIX.length));

/** A person's own corner: the active pointers and the keys of starts. */
export const activeKey = (owner: string, workflow_id: string) => ({
  pk: `U#${owner}`,
  sk: `ACTIVE#${workflow_id}`,
});
export const startKey = (sub: string, key: string) => ({ pk: `U#${sub}`, sk: `START#${key}` });

export const definitionKey = (workflow_id: string, version: string) => ({
  pk: `D#${workflow_id}`,
  sk: `V#${version}`,
});

export const factKey = (user_id: string, category: string, id: string) => ({
  pk: `M#${user_id}`,
  sk: `F#${category}#${id}`,
});
