// Definitions: those that ship with the code, those that were published, and every version an instance was ever
// started on.
//   DV1  A version is written once, under its content's hash, before the first instance starts on it.
//   DV2  An instance finds the version it is pinned to, whatever was deployed or published since.
//   DV3  What is published goes before what ships with the code, from the next start on, in every process.
//   DV4  What was changed in the store no longer has the hash it is kept under: such a version is not there.
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { load, type Workflow } from '../engine/index.ts';
import type { Definitions } from '../ports.ts';
import { versionItem } from './definition-items.ts';
import { definitionKey } from './keys.ts';
import { createPublished } from './published-definitions.ts';
import { asFault, orFault } from './sdk-faults.ts';

const Kept = z.object({ source: z.string() });

/** `builtIn`: definitions by id, as data; each is compiled when it is first asked for. */
export function createDefinitions(
  client: DynamoDBDocumentClient,
  table: string,
  builtIn: Readonly<Record<string, unknown>>,
): Definitions {
  const shipped = new Map<string, Workflow>();
  const versions = new Map<string, Workflow>();
  const kept = new Set<string>();
  const published = createPublished(client, table);
  const ship = (id: string): Workflow | null => {
    if (!Object.hasOwn(builtIn, id)) return null;
    const workflow = shipped.get(id) ?? load(builtIn[id], { name: id });
    shipped.set(id, workflow);
    versions.set(nameOf(id, workflow.version), workflow);
    return workflow;
  };
  const version = async (id: string, hash: string): Promise<Workflow | null> => {
    const known = versions.get(nameOf(id, hash));
    if (known) return known;
    if (ship(id)?.version === hash) return ship(id);
    const input = { TableName: table, Key: definitionKey(id, hash), ConsistentRead: true };
    const { Item } = await orFault(client.send(new GetCommand(input)));
    if (!Item) return null;
    const workflow = load(JSON.parse(Kept.parse(Item).source), { name: id });
    if (workflow.version !== hash) return null; // DV4
    versions.set(nameOf(id, hash), workflow);
    return workflow;
  };
  const current = async (id: string): Promise<Workflow | null> => {
    const pointer = await published.current(id);
    return pointer === null ? ship(id) : version(id, pointer.version);
  };
  return {
    current,
    version,
    async list() {
      const pointers = new Map(
        (await published.all()).map((pointer) => [pointer.workflow_id, pointer.version]),
      );
      const ids = [...new Set([...Object.keys(builtIn), ...pointers.keys()])];
      const found = await Promise.all(
        ids.map(async (id) => {
          const hash = pointers.get(id);
          return hash === undefined ? ship(id) : version(id, hash);
        }),
      );
      return found.filter((workflow) => workflow !== null);
    },
    async keep(workflow) {
      const name = nameOf(workflow.id, workflow.version);
      if (kept.has(name)) return;
      try {
        const input = { TableName: table, Item: versionItem(workflow), ConditionExpression: NOT_THERE };
        await client.send(new PutCommand(input));
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw asFault(error);
      }
      kept.add(name);
    },
    publish: (workflow, by) => published.publish(workflow, by, ship(workflow.id)?.version ?? null),
    versions: (id) => published.versions(id, ship(id)),
  };
}

const NOT_THERE = 'attribute_not_exists(pk)';

const nameOf = (id: string, version: string): string => `${id}@${version}`;
