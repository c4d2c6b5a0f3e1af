// The tools of POST /mcp: the state schema's eight, and those of the other designs.
import type { Tool } from '../tool.ts';
import { answerQuestions } from './answer-questions.ts';
import { approveStep } from './approve-step.ts';
import { getAgentContext } from './context.ts';
import { getPendingTasks, listWorkflows } from './listing.ts';
import { completePhaseTool, getPhaseContent } from './phases.ts';
import { cancelWorkflow, resumeWorkflow } from './recovery.ts';
import { claimTask, sendSignal, startWorkflow } from './signals.ts';
import { getNextStep, getWorkflowStatus, validatePrerequisites } from './status.ts';
import { updateWorkflowState } from './update-workflow-state.ts';

export const TOOLS: readonly Tool[] = [
  getWorkflowStatus,
  getNextStep,
  validatePrerequisites,
  approveStep,
  updateWorkflowState,
  listWorkflows,
  resumeWorkflow,
  cancelWorkflow,
  startWorkflow,
  getPhaseContent,
  completePhaseTool,
  getPendingTasks,
  claimTask,
  sendSignal,
  getAgentContext,
  answerQuestions,
];
