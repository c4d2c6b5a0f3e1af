// A step's criteria: those it lists, and those its evidence, outputs, agents and approval imply.
import { ExpressionError, type Expressions } from '../expressions/expression.ts';
import type { Checker } from '../criteria/checker.ts';
import type { StepInput } from '../model/definition.ts';
import { didYouMean } from '../model/strict.ts';
import type { Criterion, Step } from '../model/workflow.ts';
import type { Problems } from './problems.ts';

export interface CriteriaScope {
  readonly checkers: ReadonlyMap<string, Checker>;
  readonly expressions: Expressions;
  readonly problems: Problems;
}

/** Listed ones first, a person's approval last: it is asked for only once all else is there. */
export function criteriaOf(step: StepInput, teamwork: Step['teamwork'], scope: CriteriaScope): Criterion[] {
  const listed = (step.criteria ?? []).map((criterion) =>
    typeof criterion === 'string' ? { type: criterion } : criterion,
  );
  const has = (type: string) => listed.some((criterion) => criterion.type === type);
  const implied = [
    ...(Object.keys(step.evidence ?? {}).length > 0 ? ['evidence'] : []),
    ...((step.outputs ?? []).length > 0 ? ['outputs'] : []),
    ...(teamwork === 'all' ? ['all_agents'] : []),
    ...(step.approval ? ['human_approval'] : []),
  ].filter((type) => !has(type));
  const all = [...listed, ...implied.map((type) => ({ type }))];
  const compiled = all.flatMap((criterion) => compileOne(step, criterion, scope));
  return [
    ...compiled.filter(({ type }) => type !== 'human_approval'),
    ...compiled.filter(({ type }) => type === 'human_approval'),
  ];
}

function compileOne(
  step: StepInput,
  { type, ...given }: { type: string; [key: string]: unknown },
  scope: CriteriaScope,
): Criterion[] {
  const { checkers, expressions, problems } = scope;
  const checker = checkers.get(type);
  if (!checker) {
    problems.add(
      10,
      step.id,
      () =>
        `"${step.id}" has a criterion of an unknown type "${type}"${didYouMean(type, [...checkers.keys()])}.`,
      `Use one of: ${[...checkers.keys()].join(', ')}.`,
    );
    return [];
  }
  const parsed = checker.params.safeParse(given);
  if (!parsed.success) {
    const what = parsed.error.issues
      .map((issue) => `${issue.path.join('.') || type}: ${issue.message}`)
      .join('; ');
    problems.add(
      10,
      step.id,
      `The criterion ${type} of "${step.id}" does not fit: ${what}.`,
      'Correct its parameters.',
    );
    return [];
  }
  const params = parsed.data as Readonly<Record<string, unknown>>; // every checker's params are an object
  if (type === 'guard') {
    try {
      return [
        {
          type,
          checker,
          params: { ...params, compiled: expressions.compile(String(params.expression), 'bool') },
        },
      ];
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      problems.add(
        9,
        step.id,
        `The guard \`${String(params.expression)}\` of "${step.id}": ${error.message}.`,
        'Correct the expression.',
      );
      return [];
    }
  }
  if (type === 'all_agents' && (step.agents ?? []).length === 0 && params.agents === undefined) {
    problems.add(
      10,
      step.id,
      `"${step.id}" waits for all its agents but names none.`,
      'List them under "agents".',
    );
  }
  return [{ type, checker, params }];
}
