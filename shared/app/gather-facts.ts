// The facts a decision needs from outside, read before the engine is asked.
import {
  type Facts,
  needsOf,
  NO_FACTS,
  type Signal,
  type SignalOf,
  type State,
  type Workflow,
} from '../engine/index.ts';
import type { App } from './app.ts';

/** No criterion is judged on these, so nothing has to be read for them. */
const UNJUDGED: ReadonlySet<Signal['type']> = new Set([
  'answer',
  'cancel',
  'defer',
  'forked',
  'heartbeat',
  'release',
  'violation',
]);

export async function gatherFacts(
  app: Pick<App, 'memory' | 'definitions' | 'classifier'>,
  workflow: Workflow,
  state: State,
  signal?: Signal,
): Promise<Facts> {
  if (signal && UNJUDGED.has(signal.type)) return NO_FACTS;
  if (signal?.type === 'message') return intentOf(app, workflow, state, signal);
  if (signal?.type !== 'migrate') return memoryFacts(app, workflow, state);
  const current = await app.definitions.current(workflow.id);
  return {
    ...(await memoryFacts(app, workflow, state)),
    ...(current ? { current_version: current.version } : {}),
  };
}

async function memoryFacts(app: Pick<App, 'memory'>, workflow: Workflow, state: State): Promise<Facts> {
  const categories = needsOf(workflow, state).flatMap(({ kind, name }) => (kind === 'memory' ? [name] : []));
  if (categories.length === 0) return NO_FACTS;
  const counted = await Promise.all(
    categories.map(async (category) => [category, await app.memory.count(state.owner, category)] as const),
  );
  return { memory: Object.fromEntries(counted) };
}

/** Where a message belongs is guessed unless its sender says so; those who work on the step speak to the person. */
async function intentOf(
  { classifier }: Pick<App, 'classifier'>,
  workflow: Workflow,
  state: State,
  { body }: SignalOf<'message'>,
): Promise<Facts> {
  if (body.step !== undefined || body.from === 'agent') return NO_FACTS;
  try {
    const guess = await classifier.classify(body.text, workflow.steps, state.current_step);
    const known = guess && workflow.index.has(guess.step) && guess.confidence >= 0 && guess.confidence <= 1;
    return { intent: known ? guess : { step: null, confidence: 0 } };
  } catch {
    return { intent: { step: null, confidence: 0, failed: true } }; // noted by the engine; the message goes on
  }
}
