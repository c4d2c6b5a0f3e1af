// Definitions: those that ship with the code, and every version an instance was ever started on.
//   V1  A version is written once, under its content's hash, before the first instance starts on it.
//   V2  An instance finds the version it is pinned to, whatever was deployed since.
import { GetCommand, PutCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { load, type Workflow } from '../engine/index.ts';
import type { Definitions } from '../ports.ts';
import { definitionKey } from './keys.ts';
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
  const ship = (id: string): Workflow | null => {
    if (!Object.hasOwn(builtIn, id)) return null;
    const workflow = shipped.get(id) ?? load(builtIn[id], { name: id });
    shipped.set(id, workflow);
    versions.set(nameOf(id, workflow.version), workflow);
    return workflow;
  };
  return {
    current: (id) => Promise.resolve(ship(id)),
    async version(id, version) {
      const known = versions.get(nameOf(id, version));
      if (known) return known;
      if (ship(id)?.version === version) return ship(id);
      const { Item } = await orFault(
        client.send(new GetCommand({ TableName: table, Key: definitionKey(id, version) })),
      );
      if (!Item) return null;
      const workflow = load(JSON.parse(Kept.parse(Item).source), { name: id });
      versions.set(nameOf(id, version), workflow);
      return workflow;
    },
    list: () => Promise.resolve(Object.keys(builtIn).flatMap((id) => ship(id) ?? [])),
    async keep(workflow) {
      const name = nameOf(workflow.id, workflow.version);
      if (kept.has(name)) return;
      const item = {
        ...definitionKey(workflow.id, workflow.version),
        source: JSON.stringify(workflow.source),
      };
      try {
        await client.send(
          new PutCommand({ TableName: table, Item: item, ConditionExpression: 'attribute_not_exists(pk)' }),
        );
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw asFault(error);
      }
      kept.add(name);
    },
  };
}

const nameOf = (id: string, version: string): string => `${id}@${version}`;
