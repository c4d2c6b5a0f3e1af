// Whose tokens count: an issuer that was given, or a Cognito user pool made here.
// In the pool a role is a group of people and a scope of agents, which log in by themselves (client credentials).
import { Aws, Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  AccountRecovery,
  CfnUserPoolGroup,
  FeaturePlan,
  type IUserPoolResourceServer,
  Mfa,
  OAuthScope,
  ResourceServerScope,
  UserPool,
  type UserPoolClient,
} from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { DEFAULTS, type ExternalIssuer, type UserPoolOptions } from './options.ts';

export interface TokenIssuer {
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly jwksUri: string;
}

export const externalIssuer = ({ url, audience, jwksUri }: ExternalIssuer): TokenIssuer => ({
  issuer: url,
  audience,
  jwksUri: jwksUri ?? `${url.replace(/\/$/, '')}/.well-known/jwks.json`,
});

export interface UsersProps extends UserPoolOptions {
  readonly removalPolicy: RemovalPolicy;
}

export class Users extends Construct implements TokenIssuer {
  readonly pool: UserPool;
  /** The client that people log in with. */
  readonly people: UserPoolClient;
  readonly agents: readonly UserPoolClient[];
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly jwksUri: string;
  /** Where agents trade their id and secret for a token. */
  readonly tokenUrl: string;

  constructor(scope: Construct, id: string, { removalPolicy, ...options }: UsersProps) {
    super(scope, id);
    this.pool = this.createPool(removalPolicy);
    const prefix = `stepgate-${Aws.ACCOUNT_ID}-${this.node.addr.slice(-8)}`;
    const domain = this.pool.addDomain('Domain', { cognitoDomain: { domainPrefix: prefix } });
    this.tokenUrl = `${domain.baseUrl()}/oauth2/token`;
    this.people = this.pool.addClient('People', {
      authFlows: { userSrp: true },
      preventUserExistenceErrors: true,
      accessTokenValidity: Duration.hours(1),
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, OAuthScope.EMAIL],
        callbackUrls: [...(options.callbackUrls ?? DEFAULTS.callbackUrls)],
      },
    });
    this.agents = this.addRoles(options.roles ?? DEFAULTS.roles, options.agents ?? {});
    this.issuer = this.pool.userPoolProviderUrl;
    this.audience = [this.people, ...this.agents].map((client) => client.userPoolClientId);
    this.jwksUri = `${this.issuer}/.well-known/jwks.json`;
  }

  private createPool(removalPolicy: RemovalPolicy): UserPool {
    const pool = new UserPool(this, 'Pool', {
      selfSignUpEnabled: false,
      signInAliases: { email: true },
      signInCaseSensitive: false,
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      mfa: Mfa.REQUIRED,
      mfaSecondFactor: { otp: true, sms: false },
      passwordPolicy: {
        minLength: 12,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: true,
      },
      featurePlan: FeaturePlan.ESSENTIALS,
      removalPolicy,
      deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
    });
    acknowledge(
      pool,
      'COG8',
      'The plus plan is charged per active user; people are invited here, cannot sign up and need a second factor.',
    );
    return pool;
  }

  private addRoles(
    roles: readonly string[],
    agents: Readonly<Record<string, readonly string[]>>,
  ): UserPoolClient[] {
    for (const role of roles)
      new CfnUserPoolGroup(this, `Group-${role}`, { userPoolId: this.pool.userPoolId, groupName: role });
    const all = [...new Set([...roles, ...Object.values(agents).flat()])];
    const scopes = new Map(
      all.map((role) => [
        role,
        new ResourceServerScope({ scopeName: `role.${role}`, scopeDescription: `Act as ${role}` }),
      ]),
    );
    const server = this.pool.addResourceServer('Roles', {
      identifier: 'stepgate',
      scopes: [...scopes.values()],
    });
    return Object.entries(agents).map(([name, held]) =>
      this.addAgent(
        server,
        name,
        held.flatMap((role) => scopes.get(role) ?? []),
      ),
    );
  }

  private addAgent(
    server: IUserPoolResourceServer,
    name: string,
    scopes: readonly ResourceServerScope[],
  ): UserPoolClient {
    return this.pool.addClient(`Agent-${name}`, {
      userPoolClientName: name,
      generateSecret: true,
      authFlows: {},
      accessTokenValidity: Duration.hours(1),
      oAuth: {
        flows: { clientCredentials: true },
        scopes: scopes.map((scope) => OAuthScope.resourceServer(server, scope)),
      },
    });
  }
}
