// A record of the stream as the event source mapping hands it to a function, and the filter it applies first.
import type { _Record } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { COMMIT_PREFIX, SK } from '../../shared/names.ts';

/** New commits only: the filter that CDK gives both consumers. */
export const isNewCommit = ({ eventName, dynamodb }: _Record): boolean =>
  eventName === 'INSERT' && (dynamodb?.Keys?.[SK]?.S?.startsWith(COMMIT_PREFIX) ?? false);

export function asLambdaRecord(record: _Record, stream_arn: string): DynamoDBRecord {
  const { ApproximateCreationDateTime: at, ...change } = record.dynamodb ?? {};
  return {
    ...record,
    eventSourceARN: stream_arn,
    dynamodb: {
      ...change,
      ...(at === undefined ? {} : { ApproximateCreationDateTime: Math.floor(at.getTime() / 1000) }),
    },
  } as DynamoDBRecord; // the SDK's shape but for time and bytes, and no item of ours holds bytes
}

interface Numbered {
  readonly dynamodb?: { readonly SequenceNumber?: string | undefined } | undefined;
}

export const sequenceOf = ({ dynamodb }: Numbered): string => dynamodb?.SequenceNumber ?? '';

/** Sequence numbers are numbers of up to 40 digits; `undefined` is before all of them. */
export const isAfter = (one: string, other: string | undefined): boolean =>
  other === undefined || BigInt(one) > BigInt(other);

export function earliest(positions: readonly (string | undefined)[]): string | undefined {
  let [least] = positions;
  for (const position of positions) {
    if (position === undefined || least === undefined) return undefined;
    if (isAfter(least, position)) least = position;
  }
  return least;
}
