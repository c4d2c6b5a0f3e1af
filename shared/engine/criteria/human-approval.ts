// human_approval: a person has approved exactly what is there now. If that changes, the approval no longer counts.
import * as z from 'zod';
import { digestOf } from '../digest.ts';
import { defineChecker, MET, unmet } from './checker.ts';

export const humanApproval = defineChecker({
  type: 'human_approval',
  params: z.strictObject({}),
  check: ({ record }) => {
    const { approval } = record;
    if (approval?.approved && approval.digest === digestOf(record)) return MET;
    return unmet(
      approval?.approved
        ? 'What was approved has changed since; a person must approve it again.'
        : 'A person must approve this step; agents cannot.',
    );
  },
});
