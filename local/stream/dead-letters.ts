// Records that no try could get handled: a line each in a file, and one on the console.
import { appendFileSync } from 'node:fs';
import type { DynamoDBRecord } from 'aws-lambda';
import { messageOf } from '../setup-error.ts';
import { sequenceOf } from './stream-record.ts';

export type Bury = (consumer: string, record: DynamoDBRecord, error: unknown) => void;

export function deadLetters(file: string, now: () => number, say: (line: string) => void): Bury {
  return (consumer, record, error) => {
    const reason = messageOf(error);
    const letter = { at: new Date(now()).toISOString(), consumer, reason, record };
    appendFileSync(file, `${JSON.stringify(letter)}\n`);
    const { pk, sk } = record.dynamodb?.Keys ?? {};
    say(
      `${consumer} gave up on ${pk?.S ?? '?'} ${sk?.S ?? '?'} (record ${sequenceOf(record)}): ${reason}. It is kept in ${file}.`,
    );
  };
}
