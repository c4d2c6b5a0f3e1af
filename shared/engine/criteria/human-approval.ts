// human_approval: a person has approved exactly what is there now. If that changes, the approval no longer counts.
import { digestOf } from '../digest.ts';
import { strict } from '../model/strict.ts';
import { defineChecker, MET, unmet } from './checker.ts';

export const humanApproval = defineChecker({
  type: 'human_approval',
  params: strict({}),
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
