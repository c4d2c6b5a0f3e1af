// The workflows the engine is measured on.
import { load, type Workflow } from '../shared/engine/index.ts';

export const definitionOf = (steps: number) => ({
  id: `linear-${steps}`,
  steps: Array.from({ length: steps }, (_, i) => ({ id: `s${i + 1}`, agent: 'worker' })),
});

export const linear = (steps: number): Workflow => load(definitionOf(steps));
