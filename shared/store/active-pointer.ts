// The pointer at the one active instance of an owner, for workflows that allow no more.
//   AP1  It also says with which commit it was taken, and is written again when its instance is resumed: whoever read
//        it before that finds it changed.
import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { State } from '../engine/index.ts';
import type { ActiveClaim } from '../ports.ts';
import { activeKey } from './keys.ts';

type Item = Record<string, AttributeValue>;

const FREE = 'attribute_not_exists(pk)';
const THE_SAME = 'instance_id = :replaces';
const TAKEN_THEN = 'at_seq = :since';

/** To be written beside the commit that this state is of. */
export function pointTo(
  TableName: string,
  { owner, workflow_id, instance_id, seq }: State,
  { replaces, since }: ActiveClaim,
): NonNullable<TransactWriteItem['Put']> {
  const { pk, sk } = activeKey(owner, workflow_id);
  const Item = { pk: { S: pk }, sk: { S: sk }, instance_id: { S: instance_id }, at_seq: { N: String(seq) } };
  const whole = { TableName, Item, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  if (replaces === null) return { ...whole, ConditionExpression: FREE };
  const same = since === undefined ? THE_SAME : `(${THE_SAME} AND ${TAKEN_THEN})`;
  return {
    ...whole,
    ConditionExpression: `${FREE} OR ${same}`,
    ExpressionAttributeValues: {
      ':replaces': { S: replaces },
      ...(since === undefined ? {} : { ':since': { N: String(since) } }),
    },
  };
}

export function claimOn(pointer: Item | undefined): ActiveClaim {
  const since = pointer?.at_seq?.N;
  return {
    replaces: pointer?.instance_id?.S ?? null,
    ...(since === undefined ? {} : { since: Number(since) }),
  };
}
