// qr_gate: a quality review that grows more lenient with each visit, so that a loop of revisions ends.
//   Q1  Visits 1-2 block every severity; 3-4 block MUST and SHOULD; from 5 on only MUST.
import * as z from 'zod';
import { strict } from '../model/strict.ts';
import { defineChecker, MET, unmet } from './checker.ts';

const Findings = z.array(z.looseObject({ severity: z.string() }));
const LENIENT_FROM = { any: 3, should: 5 };

export const qrGate = defineChecker({
  type: 'qr_gate',
  params: strict({}),
  check: ({ record }) => {
    const findings = Findings.safeParse(record.evidence.findings);
    if (!findings.success) {
      return unmet(
        'Send evidence.findings: a list of {severity: MUST | SHOULD | COULD, …}, empty if there are none.',
        {
          field: 'findings',
        },
      );
    }
    const blocking = findings.data.filter(({ severity }) => blocks(severity, record.visits));
    if (blocking.length === 0) return MET;
    const names = blocking.map(({ severity }) => severity.toUpperCase()).join(', ');
    return {
      met: true,
      outcome: 'fail',
      reason: `Review ${record.visits}: ${blocking.length} blocking findings (${names}).`,
    };
  },
});

/** A severity nobody knows is taken for the worst. */
function blocks(severity: string, iteration: number): boolean {
  const name = severity.trim().toUpperCase();
  if (iteration < LENIENT_FROM.any || name === 'MUST') return true;
  if (name === 'SHOULD') return iteration < LENIENT_FROM.should;
  return !['COULD', 'MAY', 'NICE', 'INFO', 'MINOR', 'NIT', 'WONT'].includes(name);
}
