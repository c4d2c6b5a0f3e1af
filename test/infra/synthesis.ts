// Synthesizes stacks for tests, offline and without a build: placeholders stand for the functions unless a dist is given.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { App, type StackProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { FUNCTIONS, type FunctionName } from '../../infra/functions/catalogue.ts';
import type { StepgateProps } from '../../infra/options.ts';
import { StepgateStack } from '../../infra/stepgate-stack.ts';

export interface Resource {
  readonly Type: string;
  // A template is JSON of many shapes; tests look at one property at a time.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly Properties: any;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: string[];
}
export type Found = Resource & { readonly id: string };

export const createFolder = (): string => mkdtempSync(path.join(os.tmpdir(), 'stepgate-infra-'));
export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** CDK's own check of templates takes longer than everything else: one test has it on. */
export const newApp = (outdir: string): App =>
  new App({ outdir, analyticsReporting: false, builtinCloudFormationValidation: false });

export function writePlaceholders(dist: string): void {
  for (const { bundle } of FUNCTIONS) {
    const folder = path.join(dist, 'functions', bundle);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'index.mjs'), `export const handler = async () => '${bundle}';\n`);
  }
}

export class Synthesis {
  readonly app: App;
  readonly stack: StepgateStack;
  readonly template: Template;
  private readonly resources: Readonly<Record<string, Resource>>;

  constructor(folder: string, props: StepgateProps & StackProps = {}) {
    const dist = props.dist ?? path.join(folder, 'dist');
    if (props.dist === undefined) writePlaceholders(dist);
    this.app = newApp(mkdtempSync(path.join(folder, 'cdk.out-')));
    this.stack = new StepgateStack(this.app, 'Stepgate', { ...props, dist });
    this.template = Template.fromStack(this.stack);
    this.resources = this.template.toJSON()['Resources'] as Record<string, Resource>; // every template has them
  }

  all(type: string): Found[] {
    return Object.entries(this.resources)
      .filter(([, { Type }]) => Type === type)
      .map(([id, resource]) => ({ id, ...resource }));
  }

  /** The only one there is. */
  only(type: string): Found {
    const [found, ...more] = this.all(type);
    if (!found || more.length > 0) throw new Error(`There are ${more.length + (found ? 1 : 0)} of ${type}.`);
    return found;
  }

  get(id: string): Found {
    const resource = this.resources[id];
    if (!resource) throw new Error(`There is no resource ${id}.`);
    return { id, ...resource };
  }

  /** The resource that something refers to, wherever in it the reference is. */
  referred(value: unknown): Found {
    const id = /"(?:Ref|Fn::GetAtt)":\s*\[?"(\w+)"/.exec(JSON.stringify(this.stack.resolve(value)))?.[1];
    if (id === undefined) throw new Error(`${JSON.stringify(value)} refers to nothing.`);
    return this.get(id);
  }

  functionOf(name: FunctionName): Found {
    return this.referred(this.stack.stepgate.functions[name].lambda.functionName);
  }

  nameOf(functionId: string): FunctionName {
    const found = FUNCTIONS.find(({ bundle }) => this.functionOf(bundle).id === functionId);
    if (!found) throw new Error(`${functionId} is none of the functions.`);
    return found.bundle;
  }
}
