// The criteria there are. A new type is one file and one line here; from outside, one entry in `checkers`.
import { agentSignal } from './agent-signal.ts';
import { allAgents } from './all-agents.ts';
import type { Checker } from './checker.ts';
import { evidence } from './evidence.ts';
import { guard } from './guard.ts';
import { humanApproval } from './human-approval.ts';
import { memoryCheck } from './memory-check.ts';
import { outputs } from './outputs.ts';
import { qrGate } from './qr-gate.ts';
import { widgetCompleted } from './widget-completed.ts';

export const CHECKERS: readonly Checker[] = [
  agentSignal,
  memoryCheck,
  widgetCompleted,
  evidence,
  outputs,
  humanApproval,
  guard,
  qrGate,
  allAgents,
];
