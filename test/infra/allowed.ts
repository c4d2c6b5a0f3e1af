// What a synthesized role allows, in words: "dynamodb:Query main by_key".
import type { FunctionName } from '../../infra/functions/catalogue.ts';
import type { Synthesis } from './synthesis.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
}

export const statementsOf = (made: Synthesis, roleId?: string): Statement[] =>
  made
    .all('AWS::IAM::Policy')
    .filter(
      ({ Properties }) =>
        roleId === undefined || Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === roleId),
    )
    .flatMap(({ Properties }): Statement[] => Properties.PolicyDocument.Statement);

/** "action resource" of everything a function may do, sorted. */
export function allowed(made: Synthesis, name: FunctionName): string[] {
  const role = made.referred(made.functionOf(name).Properties.Role);
  return statementsOf(made, role.id)
    .flatMap(({ Action, Resource }) =>
      [Action].flat().flatMap((action) => [Resource].flat().map((one) => `${action} ${inWords(made, one)}`)),
    )
    .sort();
}

function inWords(made: Synthesis, resource: unknown): string {
  const text = JSON.stringify(resource);
  if (text === '"*"') return '*';
  const callback = /\/(\w+)\/@connections\/\*"/.exec(text)?.[1];
  if (callback) return `${callback} @connections`;
  if (text.includes(':execution:')) return 'execution';
  const { id, Type } = made.referred(resource);
  if (Type !== 'AWS::DynamoDB::Table') return Type.replace(/^AWS::/, '');
  const main = made.referred(made.stack.stepgate.tables.main.tableName).id;
  const part = text.includes('StreamArn') ? 'stream' : /"\/index\/(\w+)"/.exec(text)?.[1];
  return [id === main ? 'main' : 'connections', part].filter(Boolean).join(' ');
}
