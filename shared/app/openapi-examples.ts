// Requests and answers shown in the OpenAPI document. A test holds each against its schema.
interface Example {
  readonly summary: string;
  readonly value: object;
}

export interface Examples {
  readonly request: Readonly<Record<string, Example>>;
  readonly answer: Readonly<Record<string, Example>>;
}

const progress = {
  current_step: 'discovery',
  completed_steps: ['greeting'],
  completed: 1,
  total: 3,
  percent: 33,
};
const where = { instance_id: 'onboarding-20260301T120000Z-4f1c9a2b7d3e', workflow_id: 'onboarding' };

export const EXAMPLES: Readonly<Record<string, Examples>> = {
  start: {
    request: {
      onboarding: { summary: 'The least there is to say', value: { workflow_id: 'onboarding' } },
      chosen: {
        summary: 'A task with an id of your own',
        value: { workflow_id: 'delivery', instance_id: 'task-001', subject: 'JWT login' },
      },
    },
    answer: {
      started: {
        summary: 'It stands at its first step',
        value: {
          result: 'advanced',
          previous_step: null,
          ...where,
          version: 1,
          current_step: 'greeting',
          progress: {
            ...progress,
            current_step: 'greeting',
            completed_steps: [],
            completed: 0,
            percent: 0,
          },
          next: { role: null, action: 'complete_step', agent: 'greeter' },
        },
      },
    },
  },
  signal: {
    request: {
      complete: { summary: 'The step is done', value: { action: 'complete_step', step: 'greeting' } },
      action: {
        summary: 'An action of the workflow, with what it left behind',
        value: { action: 'COMMIT_CODE', artifacts: { commit_sha: 'abc123', files_changed: ['src/auth.py'] } },
      },
      ask: {
        summary: 'A person has to answer first',
        value: {
          action: 'need_input',
          questions: [{ question: 'Which plan fits you?', options: ['Weekly', 'Daily'] }],
        },
      },
    },
    answer: {
      advanced: {
        summary: 'The next step is open',
        value: {
          result: 'advanced',
          previous_step: 'greeting',
          ...where,
          version: 2,
          current_step: 'discovery',
          progress,
          next: { role: null, action: 'complete_step', agent: 'interviewer' },
        },
      },
      blocked: {
        summary: 'Something is missing',
        value: {
          result: 'blocked',
          previous_step: 'discovery',
          reason: '2 of 3 facts about "priorities" are known; collect 1 more.',
          missing_criteria: [
            {
              type: 'memory_check',
              reason: '2 of 3 facts about "priorities" are known; collect 1 more.',
              category: 'priorities',
              required: 3,
              found: 2,
            },
          ],
          ...where,
          version: 3,
          current_step: 'discovery',
          progress,
          next: { role: null, action: 'complete_step', agent: 'interviewer' },
        },
      },
    },
  },
};
