// Acknowledging a finding of cdk-nag: always beside the resource, always with its reason.
import { Stack, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

export function acknowledge(construct: Construct, rule: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: `AwsSolutions-${rule}`, reason });
}

export const acknowledgeWildcard = (construct: Construct, arn: string, reason: string): void =>
  acknowledge(construct, `IAM5[Resource::${written(Stack.of(construct).resolve(arn))}]`, reason);

export const acknowledgeManagedPolicy = (construct: Construct, arn: string, reason: string): void =>
  acknowledge(construct, `IAM4[Policy::${written(Stack.of(construct).resolve(arn))}]`, reason);

/** As cdk-nag writes an ARN: references in angle brackets. */
function written(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { Ref: name, 'Fn::Join': join } = value as { Ref?: string; 'Fn::Join'?: [string, unknown[]] }; // what ARNs are made of
  return join ? join[1].map(written).join(join[0]) : `<${name}>`;
}
