import { Fn, Stack, Validations } from 'aws-cdk-lib';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Config } from '../../contract/config/config.ts';
import type { AgentCoreSettings } from '../../contract/config/service.ts';
import type { AwsSecret } from '../../contract/input/secret-source.ts';
import type { AgentCoreResource } from '../../contract/service/services.ts';
import { LIFECYCLE_SOURCE } from '../../domain/trigger/release.ts';
import { reachedRuntimes, secretsOfService } from './needed-rights.ts';
import { viaService } from './partition.ts';

// What a function may do with the table is said where the function is: flow/functions.ts for the steps,
// flow/janitor.ts for the janitor and the sweep, triggers/triggers.ts for the function start.

/** What a function asks of the service. */
export type ServiceUse = 'list' | 'read-reasons' | 'list-versions' | 'roll' | 'create';

/** Lets a function call the service in these ways. */
export function grantService(
  lambda: IFunction,
  config: Pick<Config, 'service' | 'tls' | 'runtimes' | 'retired'>,
  uses: readonly ServiceUse[],
): void {
  if (uses.length === 0) return;
  const { service } = config;
  grantSecrets(lambda, secretsOfService(config));
  if (service.kind === 'rest') return;
  for (const use of uses) {
    const needed = AGENTCORE_ACTIONS[service.of][use];
    if (needed !== null) grantAgentCore(lambda, service, reachedRuntimes(config), needed);
  }
}

function grantAgentCore(
  lambda: IFunction,
  { region, of }: AgentCoreSettings,
  runtimes: readonly string[],
  { names, on }: AgentCoreAction,
): void {
  const actions = names.map((name) => `bedrock-agentcore:${name}`);
  if (on === 'all') {
    lambda.addToRolePolicy(new PolicyStatement({ actions, resources: ['*'] }));
    return;
  }
  const stack = Stack.of(lambda);
  const role = lambda.role as Role;
  const arnsOf = (resourceName: string): string[] => {
    const place = { service: 'bedrock-agentcore', region, resource: of, resourceName };
    const runtime = stack.formatArn(place);
    return on === 'itself' ? [runtime] : [runtime, `${runtime}/${of}-endpoint/*`];
  };
  const named = areTooManyToName(runtimes) ? ['*'] : runtimes;
  for (let first = 0; first < named.length; first += RUNTIMES_OF_A_POLICY) {
    const resources = named.slice(first, first + RUNTIMES_OF_A_POLICY).flatMap(arnsOf);
    const statement = new PolicyStatement({ actions, resources });
    if (first === 0) role.addToPrincipalPolicy(statement);
    else {
      const policy = new ManagedPolicy(role, `${names[0]}-${first}`, { statements: [statement] });
      role.addManagedPolicy(policy);
    }
    for (const arn of resources.filter((one) => one.endsWith('*'))) {
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${asNagWrites(stack.resolve(arn))}]`,
        reason: 'A rollout may concern every endpoint of a runtime that the configuration names.',
      });
    }
  }
}

/**
 * The longest ARNs of so many runtimes fit into a managed policy, which has room for 6,144 characters
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html). The CDK would divide them too, but
 * takes each ARN for one of 120 characters.
 */
const RUNTIMES_OF_A_POLICY = 15;

/** The most runtimes that roles name: seven policies, and a role may have ten. */
export const MOST_NAMED_RUNTIMES = 100;

/** Whether there are more runtimes than a role can name. Then it may reach every runtime of the account and region. */
export function areTooManyToName(runtimes: readonly string[]): boolean {
  return runtimes.length > MOST_NAMED_RUNTIMES;
}

/** cdk-nag writes what CloudFormation fills in between angle brackets. */
function asNagWrites(arn: string | { readonly 'Fn::Join': [string, readonly ArnPart[]] }): string {
  const parts = typeof arn === 'string' ? [arn] : arn['Fn::Join'][1];
  return parts.map((part) => (typeof part === 'string' ? part : `<${part.Ref}>`)).join('');
}

type ArnPart = string | { readonly Ref: string };

interface AgentCoreAction {
  readonly names: readonly [string, ...string[]];
  /** `itself`: the runtime or the harness. */
  readonly on: 'all' | 'itself' | 'itself and endpoints';
}

/**
 * Which permissions each use needs, and on what. `null`: none. AWS does not let a permission to list endpoints or
 * versions of a runtime name a resource
 * (https://docs.aws.amazon.com/service-authorization/latest/reference/list_bedrock-agentcore.html), and whether it lets
 * that of a harness is not known. A write to a harness needs the permission for its runtime too, with the ARNs of the
 * harness (https://docs.aws.amazon.com/bedrock-agentcore/latest/devguide/harness-security.html).
 */
const AGENTCORE_ACTIONS: Readonly<
  Record<AgentCoreResource, Readonly<Record<ServiceUse, AgentCoreAction | null>>>
> = {
  runtime: {
    list: { names: ['ListAgentRuntimeEndpoints'], on: 'all' },
    'read-reasons': { names: ['GetAgentRuntimeEndpoint'], on: 'itself and endpoints' },
    'list-versions': { names: ['ListAgentRuntimeVersions'], on: 'all' },
    roll: { names: ['UpdateAgentRuntimeEndpoint'], on: 'itself and endpoints' },
    create: { names: ['CreateAgentRuntimeEndpoint'], on: 'itself' },
  },
  harness: {
    list: { names: ['ListHarnessEndpoints'], on: 'all' },
    'read-reasons': null,
    'list-versions': { names: ['ListHarnessVersions'], on: 'all' },
    roll: {
      names: ['UpdateHarnessEndpoint', 'UpdateAgentRuntimeEndpoint'],
      on: 'itself and endpoints',
    },
    create: { names: ['CreateHarnessEndpoint', 'CreateAgentRuntimeEndpoint'], on: 'itself' },
  },
};

/** Lets a function read secrets, and decrypt those that have a key of their own. */
export function grantSecrets(lambda: IFunction, named: ReturnType<typeof secretsOfService>): void {
  // `refuseOnAws` has refused all others.
  const secrets = named.flatMap(([, source]) => ('awsSecret' in source ? [source] : []));
  for (const secret of new Map(secrets.map((one) => [JSON.stringify(one), one])).values()) {
    grantSecret(lambda, secret);
  }
}

function grantSecret(lambda: IFunction, { awsSecret, kmsKey }: AwsSecret): void {
  lambda.addToRolePolicy(
    new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [awsSecret] }),
  );
  if (kmsKey === undefined) return;
  const region = Fn.select(3, Fn.split(':', awsSecret));
  lambda.addToRolePolicy(
    new PolicyStatement({
      actions: ['kms:Decrypt'],
      resources: [kmsKey],
      conditions: {
        StringEquals: { 'kms:ViaService': viaService('secretsmanager', region) },
        StringLike: { 'kms:EncryptionContext:SecretARN': awsSecret },
      },
    }),
  );
}

/** Lets a function publish events of rollouts on the bus, but never announce a release there. */
export function grantPublish(lambda: IFunction, bus: EventBus): void {
  lambda.addToRolePolicy(
    new PolicyStatement({
      actions: ['events:PutEvents'],
      resources: [bus.eventBusArn],
      conditions: { StringEquals: { 'events:source': LIFECYCLE_SOURCE } },
    }),
  );
}
