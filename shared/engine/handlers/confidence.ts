// confidence: iterate until the agent is certain, at most five times; then go on, marked "capped".
import type { DecisionFunction } from './decision-function.ts';

export const CONFIDENCES = ['exploring', 'low', 'medium', 'high', 'certain'] as const;
const MAX_ITERATIONS = 5;

export const confidence: DecisionFunction = ({ step_state, data }) => {
  const iteration = typeof step_state.iteration === 'number' ? step_state.iteration : 1;
  const reported = typeof data.confidence === 'string' ? data.confidence : 'exploring';
  if (reported === 'high' || reported === 'certain') return ['ok', { iteration, confidence: reported }];
  if (iteration >= MAX_ITERATIONS) return ['ok', { iteration, confidence: 'capped' }];
  return ['iterate', { iteration: iteration + 1, confidence: reported }];
};
