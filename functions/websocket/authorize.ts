// Before $connect: is the token good? Whoever has none, or a bad one, is refused. The token is never logged.
import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { Fault } from '../../shared/faults.ts';
import { ENV } from '../../shared/names.ts';
import { actorFrom } from '../edge/claims.ts';
import { createVerifier } from '../edge/verify-token.ts';
import { contextOf, policyFor, tokenIn } from '../edge/websocket-token.ts';
import { required } from '../wiring.ts';

const verify = createVerifier({
  issuer: required(process.env, ENV.issuer),
  audience: required(process.env, ENV.audience).split(','),
  jwks_uri: required(process.env, ENV.jwks),
});

type Asking = Pick<APIGatewayRequestAuthorizerEvent, 'headers' | 'queryStringParameters' | 'methodArn'>;

export async function handler(event: Asking): Promise<APIGatewayAuthorizerResult> {
  try {
    const claims = await verify(tokenIn(event) ?? '');
    const actor = actorFrom(claims);
    return policyFor(actor.sub, 'Allow', event.methodArn, contextOf(actor, Number(claims['exp'])));
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'unauthenticated') throw error;
    return policyFor('nobody', 'Deny', event.methodArn);
  }
}
