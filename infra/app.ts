// The app of `cdk synth` and `cdk deploy`. Context chooses: -c name=…, -c issuer=… -c audience=a,b, -c destroy=true.
import { App, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { StepgateProps } from './options.ts';
import { StepgateStack } from './stepgate-stack.ts';

const app = new App();
const chosen = (key: string): string | undefined => {
  const value: unknown = app.node.tryGetContext(key);
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined;
};

const issuer = chosen('issuer');
const props: StepgateProps = {
  ...(issuer === undefined
    ? {}
    : { issuer: { url: issuer, audience: (chosen('audience') ?? '').split(',').filter(Boolean) } }),
  ...(chosen('destroy') === 'true' ? { removalPolicy: RemovalPolicy.DESTROY } : {}),
};
new StepgateStack(app, chosen('name') ?? 'Stepgate', {
  description: 'Stepgate: workflows whose steps open only when their criteria are met',
  ...props,
});
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
