// Turns what a phase says about its fields into typed evidence.
//   F1  One field per name: mentions are merged, the more specific statement wins, a contradiction is a problem.
//   F2  The same words give each type its own rule: "at least 3" is min 3 for a number, three entries for a list.
import type { EvidenceField } from '../../engine/model/evidence.ts';
import { type Facts, mergeFacts } from './facts.ts';
import type { Mention } from './mention.ts';
import { typeFromHints, typeFromName, typeOfValue } from './types.ts';
import { type EvidenceType, FORBIDDEN_NAMES, LIST_UNITS, STRING_UNITS } from './wording.ts';

export interface FieldProblem {
  line: number;
  message: string;
  fix: string;
}

/** What JSON blocks labelled "Example" show, by field. */
export type ShownExamples = ReadonlyMap<string, unknown>;

export function evidenceFields(
  mentions: readonly Mention[],
  shown: ShownExamples,
): { evidence: Record<string, EvidenceField>; problems: FieldProblem[] } {
  const problems: FieldProblem[] = [];
  const merged = new Map<string, Mention>();
  for (const next of mentions) {
    if (FORBIDDEN_NAMES.has(next.name)) {
      problems.push({
        line: next.line,
        message: `"${next.name}" cannot be the name of a field`,
        fix: 'Give the field another name: this one could reach the prototype of an object.',
      });
      continue;
    }
    const before = merged.get(next.name);
    const clash = before && contradiction(before, next);
    if (clash) problems.push({ line: next.line, ...clash });
    merged.set(next.name, before === undefined ? next : merge(before, next));
  }
  const fields = [...merged].map(([name, each]) => {
    each.facts.contains = each.facts.contains.filter((value) => !merged.has(value)); // another field, not a text
    const field = toField(name, each, shown.has(name) ? { value: shown.get(name) } : undefined);
    problems.push(...impossible(name, field, each.line));
    return [name, field] as const;
  });
  return { evidence: Object.fromEntries(fields), problems };
}

function merge(before: Mention, next: Mention): Mention {
  const longer = next.description.length > before.description.length ? next : before;
  const facts = mergeFacts(before.facts, next.facts);
  if (next.facts.stated === 'integer' && before.facts.stated === 'number') facts.stated = 'integer';
  return { ...before, description: longer.description, facts };
}

function contradiction(before: Mention, next: Mention): { message: string; fix: string } | undefined {
  const [a, b] = [before.facts.stated, next.facts.stated];
  const numeric = (type: EvidenceType) => type === 'integer' || type === 'number';
  if (a !== undefined && b !== undefined && a !== b && !(numeric(a) && numeric(b))) {
    return {
      message: `\`${next.name}\` is said to be ${a} on line ${before.line} and ${b} on line ${next.line}`,
      fix: 'State one type, or use two names.',
    };
  }
  const [c, d] = [before.facts.required, next.facts.required];
  if (c === undefined || d === undefined || c === d) return undefined;
  return {
    message: `\`${next.name}\` is required on one of the lines ${before.line} and ${next.line} and optional on the other`,
    fix: 'Say "required" or "optional" once.',
  };
}

function inferType(name: string, facts: Facts, shown: { value: unknown } | undefined): EvidenceType {
  if (facts.stated !== undefined) return facts.stated;
  const { choices, bounds } = facts;
  const told = typeFromName(name) ?? typeFromHints(facts.text);
  const example = facts.example?.telling ? facts.example : shown;
  if (example !== undefined) {
    const type = typeOfValue(example.value);
    return type === 'integer' && told === 'number' ? 'number' : type; // a coverage of 85 may be 85.5 next time
  }
  if (choices.length > 0 && told !== 'list') {
    if (choices.every((choice) => /^(?:true|false)$/i.test(choice))) return 'boolean';
    return choices.every((choice) => /^-?\d+$/.test(choice)) ? 'integer' : 'string';
  }
  const fromName = typeFromName(name);
  if (fromName !== undefined) return fromName;
  if (bounds.some((bound) => LIST_UNITS.includes(bound.unit))) return 'list';
  if (bounds.some((bound) => STRING_UNITS.includes(bound.unit))) return 'string';
  if (told !== undefined) return told;
  // "`functions`: at least 3" are three functions; "`errors`: exactly 0" is how many there were.
  const some = bounds.every(
    ({ kind, value, percent }) => (kind === 'at_least' || kind === 'above') && value > 0 && !percent,
  );
  if (bounds.length > 0) return some && /[^su]s$/.test(name) ? 'list' : 'number';
  return facts.nonZero ? 'number' : 'string';
}

function toField(name: string, mention: Mention, shown: { value: unknown } | undefined): EvidenceField {
  const { facts, description } = mention;
  const inferred = inferType(name, facts, shown);
  const fraction = facts.bounds.some((bound) => !Number.isInteger(bound.value));
  const type = inferred === 'integer' && facts.stated === undefined && fraction ? 'number' : inferred;
  const rules = type === 'integer' || type === 'number' ? numberRules(facts, type) : lengthRules(facts, type);
  const example = fittingExample(facts, type) ?? (shown && fits(type, shown.value) ? shown : undefined);
  const scalar = type !== 'list' && type !== 'object';
  return {
    type,
    ...(facts.required === false ? { required: false } : {}),
    ...(description === '' ? {} : { description }),
    ...rules,
    ...(facts.contains.length > 0 && (type === 'string' || type === 'list')
      ? { contains: facts.contains }
      : {}),
    ...(scalar ? choiceRule(type, facts.choices) : {}),
    ...(example === undefined ? {} : { example: example.value }),
  };
}

/** "true or false" is no choice at all; "must be true" is one. */
function choiceRule(type: EvidenceType, choices: string[]): { choices?: string[] } {
  if (choices.length === 0) return {};
  if (type !== 'boolean') return { choices };
  const values = [...new Set(choices.map((choice) => choice.toLowerCase()))];
  return values.length > 1 ? {} : { choices: values };
}

function numberRules(facts: Facts, type: 'integer' | 'number'): Partial<EvidenceField> {
  const rules: Partial<EvidenceField> = {};
  for (const { kind, value } of facts.bounds) {
    if (kind === 'at_least' || kind === 'exactly') rules.min = Math.max(rules.min ?? value, value);
    if (kind === 'at_most' || kind === 'exactly') rules.max = Math.min(rules.max ?? value, value);
    if (kind === 'above') rules.above = Math.max(rules.above ?? value, value);
    if (kind === 'below') {
      const max = type === 'integer' ? Math.ceil(value) - 1 : value;
      rules.max = Math.min(rules.max ?? max, max);
    }
  }
  // A count that is not zero is greater than zero.
  if (facts.nonZero && type === 'integer') rules.above = Math.max(rules.above ?? 0, 0);
  else if (facts.nonZero) rules.not_zero = true;
  return rules;
}

function lengthRules(facts: Facts, type: EvidenceType): Partial<EvidenceField> {
  if (type !== 'string' && type !== 'list') return {};
  const lows = facts.nonEmpty || facts.nonZero ? [1] : [];
  const highs: number[] = [];
  for (const { kind, value, unit, percent } of facts.bounds) {
    if (percent || value < 0) continue;
    if (kind === 'at_least' || kind === 'exactly') lows.push(Math.ceil(value));
    if (kind === 'above') lows.push(Math.floor(value) + 1);
    // "at most 5 lines" is no limit on characters; "at least 5 lines" is a sound one.
    if (type === 'string' && unit !== '' && !STRING_UNITS.includes(unit)) continue;
    if (kind === 'at_most' || kind === 'exactly') highs.push(Math.floor(value));
    if (kind === 'below') highs.push(Math.max(0, Math.ceil(value) - 1));
  }
  if (lows.length === 0 && facts.mayBeEmpty) lows.push(0);
  return {
    ...(lows.length === 0 ? {} : { min_length: Math.max(...lows) }),
    ...(highs.length === 0 ? {} : { max_length: Math.min(...highs) }),
  };
}

function fittingExample({ example }: Facts, type: EvidenceType): { value: unknown } | undefined {
  if (example === undefined) return undefined;
  if (fits(type, example.value)) return { value: example.value };
  if (type === 'list' && !example.telling) return { value: example.all };
  return type === 'string' && example.all.length === 1 ? { value: example.all[0] } : undefined;
}

function fits(type: EvidenceType, value: unknown): boolean {
  const actual = typeOfValue(value);
  return actual === type || (actual === 'integer' && type === 'number');
}

function impossible(name: string, field: EvidenceField, line: number): FieldProblem[] {
  const low = field.min ?? field.min_length;
  const high = field.max ?? field.max_length;
  const empty = low !== undefined && high !== undefined && low > high;
  const none = field.above !== undefined && field.max !== undefined && field.above >= field.max;
  if (!empty && !none) return [];
  return [
    {
      line,
      message: `no value of \`${name}\` can pass: its lowest limit is above its highest`,
      fix: 'Check the numbers after "at least" and "at most".',
    },
  ];
}
