// The construct as it leaves the house: compiled, beside prebuilt functions, used from a plain JavaScript app.
import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileConstruct } from '../../scripts/compile-construct.ts';
import { MCP_ROUTES, ROUTES, SOCKET_ROUTES } from '../../shared/routes.ts';
import { createFolder, removeFolder, type Resource, writePlaceholders } from './synthesis.ts';

const APP = `
import { App, Stack } from 'aws-cdk-lib';
import { Stepgate } from './dist/construct/infra/stepgate.js';
const context = { '@aws-cdk/core:validateAgainstDefaultRules': true };
const app = new App({ outdir: 'cdk.out', analyticsReporting: false, context });
const stack = new Stack(app, 'Shop');
const { http, bus } = new Stepgate(stack, 'Approvals');
stack.exportValue(http.url, { name: 'url' });
stack.exportValue(bus.eventBusName, { name: 'bus' });
app.synth();
`;

/** A compiler and a whole synthesis, on a machine with other things to do. */
const LONG = 120_000;

let folder: string;

beforeAll(async () => {
  folder = createFolder();
  const root = path.resolve(import.meta.dirname, '../..');
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({ name: 'stepgate', type: 'module' }, null, 2),
  );
  writeFileSync(path.join(folder, 'app.js'), APP);
  writePlaceholders(path.join(folder, 'dist'));
  await compileConstruct(path.join(folder, 'dist'));
}, LONG);
afterAll(() => removeFolder(folder));

it(
  'an app in plain JavaScript finds the functions, and CloudFormation has nothing against its stack',
  () => {
    execFileSync(process.execPath, ['app.js'], { cwd: folder, stdio: 'pipe' });
    const text = readFileSync(path.join(folder, 'cdk.out', 'Shop.template.json'), 'utf8');
    const { Resources } = JSON.parse(text) as { Resources: Record<string, Resource> }; // written by CDK a moment ago
    const count = (type: string) => Object.values(Resources).filter(({ Type }) => Type === type).length;
    expect(count('AWS::ApiGatewayV2::Route')).toBe(
      ROUTES.length + MCP_ROUTES.length + Object.keys(SOCKET_ROUTES).length,
    );
    expect(count('AWS::DynamoDB::Table')).toBe(2);
  },
  LONG,
);

it('its types come along', () => {
  const types = readFileSync(path.join(folder, 'dist/construct/infra/stepgate.d.ts'), 'utf8');
  expect(types).toContain('export declare class Stepgate extends Construct');
});
