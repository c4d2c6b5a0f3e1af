// The decision functions there are, by name. A new one is one file and one line here.
import { confidence } from './confidence.ts';
import type { DecisionFunction } from './decision-function.ts';

export const FUNCTIONS: Readonly<Record<string, DecisionFunction>> = { confidence };
