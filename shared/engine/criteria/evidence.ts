// evidence: every field the step asks for is there, of the right type, and passes its rule.
import type { EvidenceField } from '../model/evidence.ts';
import { strict } from '../model/strict.ts';
import { defineChecker, type Missing, MET } from './checker.ts';

export const evidence = defineChecker({
  type: 'evidence',
  params: strict({}),
  check: ({ step, record }) => {
    const missing: Omit<Missing, 'type'>[] = [];
    for (const field of Object.keys(step.evidence)) {
      const format = step.evidence[field];
      if (format === undefined) continue;
      const value = Object.hasOwn(record.evidence, field) ? record.evidence[field] : undefined;
      const wrong = whatIsWrong(format, value);
      if (wrong !== null) missing.push({ field, expected: format.type, reason: `${field} (${wrong})` });
    }
    return missing.length === 0 ? MET : { met: false, missing };
  },
});

/** Null if the value will do; otherwise what is wrong with it, in the words of the phase engine. */
export function whatIsWrong(format: EvidenceField, value: unknown): string | null {
  if (value === undefined || value === null) {
    return format.required === false ? null : `required: ${format.description || format.type}`;
  }
  const got = typeOf(value);
  if (!fits(format.type, value)) return `wrong type: expected ${format.type}, got ${got}`;
  const broken = brokenRule(format, value);
  return broken === null ? null : `validation failed: ${broken}`;
}

function fits(type: EvidenceField['type'], value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value);
  if (type === 'list') return Array.isArray(value);
  return typeOf(value) === type;
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return value === null ? 'null' : typeof value;
}

function brokenRule(format: EvidenceField, value: unknown): string | null {
  if (typeof value === 'number') {
    if (format.min !== undefined && value < format.min) return `must be at least ${format.min}`;
    if (format.max !== undefined && value > format.max) return `must be at most ${format.max}`;
    if (format.above !== undefined && value <= format.above) return `must be greater than ${format.above}`;
    if (format.not_zero && value === 0) return 'must not be zero';
  }
  if (typeof value === 'string' || Array.isArray(value)) {
    const unit = typeof value === 'string' ? 'characters' : 'entries';
    const length = typeof value === 'string' ? value.trim().length : value.length;
    if (format.min_length !== undefined && length < format.min_length) {
      return format.min_length === 1
        ? 'must not be empty'
        : `must have at least ${format.min_length} ${unit}`;
    }
    if (format.max_length !== undefined && length > format.max_length)
      return `must have at most ${format.max_length} ${unit}`;
    const absent = format.contains?.find((wanted) => !value.includes(wanted));
    if (absent !== undefined) return `must contain "${absent}"`;
  }
  const { choices } = format;
  if (choices && Array.isArray(value))
    return value.every((item) => choices.includes(String(item)))
      ? null
      : `must hold only ${choices.join(', ')}`;
  if (choices && !choices.includes(String(value))) return `must be one of ${choices.join(', ')}`;
  return null;
}
