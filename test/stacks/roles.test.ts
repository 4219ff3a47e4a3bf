import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { AwsSecret } from '../../lib/contract/auth.ts';
import { SECRET_ARN } from '../support/secrets-manager.ts';
import { createStack } from './create-stack.ts';
import { TABLE_ACTIONS } from './table-actions.ts';

const { Resources } = templateOf(createStack());

interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly Metadata?: { readonly 'aws:cdk:path': string };
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

interface RolloutTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
}

test('these are all roles, with all that each of them may do', () => {
  expect(grantsByRole()).toEqual({
    'Operations/list': functionGrants('Operations/list'),
    'Operations/create': functionGrants('Operations/create'),
    'Steps/openRollout': stepGrants('openRollout'),
    'Steps/roll': stepGrants('roll'),
    'Steps/checkWave': stepGrants('checkWave'),
    'Steps/verifyWave': stepGrants('verifyWave'),
    'Steps/turnAround': stepGrants('turnAround'),
    'Steps/stop': stepGrants('stop'),
    'Steps/closeRollout': stepGrants('closeRollout'),
    'Janitor/janitor': janitorGrants('janitor'),
    'Janitor/sweep': janitorGrants('sweep', [
      'states:DescribeExecution executions of Workflow/StateMachine',
    ]),
    'Triggers/Start/start': [
      ...functionGrants('Triggers/Start/start').slice(0, 2),
      'sqs:GetQueueAttributes Triggers/DeadLetters/Queue',
      'sqs:GetQueueUrl Triggers/DeadLetters/Queue',
      'sqs:SendMessage Triggers/DeadLetters/Queue',
      'states:StartExecution Workflow/StateMachine',
      ...functionGrants('Triggers/Start/start').slice(2),
    ],
    'Workflow/StateMachine': [
      'lambda:InvokeFunction Steps/checkWave/Function',
      'lambda:InvokeFunction Steps/closeRollout/Function',
      'lambda:InvokeFunction Steps/openRollout/Function',
      'lambda:InvokeFunction Steps/roll/Function',
      'lambda:InvokeFunction Steps/stop/Function',
      'lambda:InvokeFunction Steps/turnAround/Function',
      'lambda:InvokeFunction Steps/verifyWave/Function',
      'logs:CreateLogDelivery *',
      'logs:DeleteLogDelivery *',
      'logs:DescribeLogGroups *',
      'logs:DescribeResourcePolicies *',
      'logs:GetLogDelivery *',
      'logs:ListLogDeliveries *',
      'logs:PutResourcePolicy *',
      'logs:UpdateLogDelivery *',
      'xray:GetSamplingRules *',
      'xray:GetSamplingTargets *',
      'xray:PutTelemetryRecords *',
      'xray:PutTraceSegments *',
    ],
  });
});

test('each role is for one service, without managed or inline policies', () => {
  for (const [id, { Properties }] of ofType('AWS::IAM::Role')) {
    const { AssumeRolePolicyDocument, Description, ...rest } = Properties;
    const { Statement } = AssumeRolePolicyDocument as { Statement: unknown };
    const isWorkflow = pathOf(id).startsWith('Workflow/');
    expect(rest).toEqual({});
    expect(Statement).toEqual([
      {
        Action: 'sts:AssumeRole',
        Effect: 'Allow',
        Principal: { Service: isWorkflow ? 'states.amazonaws.com' : 'lambda.amazonaws.com' },
        // Step Functions may use the role for the state machines of this account alone.
        ...(isWorkflow && {
          Condition: {
            StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
            ArnLike: { 'aws:SourceArn': expect.anything() },
          },
        }),
      },
    ]);
  }
});

test('each function has a role of its own', () => {
  const roles = ofType('AWS::Lambda::Function').map(([, { Properties }]) =>
    nameOf(Properties.Role),
  );
  expect(new Set(roles).size).toBe(12);
});

test('from outside, release events may call the start function, the janitor has its two rules, and that is all', () => {
  const permissions = ofType('AWS::Lambda::Permission').map(([, { Properties }]) => Properties);
  const isOfJanitor = ({ FunctionName }: Record<string, unknown>) =>
    JSON.stringify(FunctionName).includes('Janitor');
  expect(permissions.filter(isOfJanitor).map(({ SourceArn }) => nameOf(SourceArn))).toEqual([
    'Janitor/Ended',
    'Janitor/Regularly',
  ]);
  expect(permissions.filter((permission) => !isOfJanitor(permission))).toEqual([
    {
      Action: 'lambda:InvokeFunction',
      FunctionName: { 'Fn::GetAtt': [expect.stringMatching(/^TriggersStartstartFunction/), 'Arn'] },
      Principal: 'events.amazonaws.com',
      SourceArn: { 'Fn::GetAtt': [expect.stringMatching(/^TriggersReleaseRulesPublished/), 'Arn'] },
    },
  ]);
});

test('only X-Ray and the delivery of logs, which know no resources, are granted on *', () => {
  const wide = Object.values(grantsByRole())
    .flat()
    .filter((grant) => grant.includes('*'));
  expect(wide.filter((grant) => !/^(xray:\w+|logs:\w+) \*$/.test(grant))).toEqual([]);
});

describe('with credentials in Secrets Manager', () => {
  const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/0aa11bb2';
  const CALLERS = [
    'Operations/create',
    'Operations/list',
    'Steps/checkWave',
    'Steps/openRollout',
    'Steps/roll',
    'Steps/stop',
    'Steps/verifyWave',
  ];

  test('every function that calls the service may read that one secret, and that is all', () => {
    const granted = grantedOver({ awsSecret: SECRET_ARN });
    expect(granted).toEqual(
      CALLERS.map((role) => ({
        role,
        statements: [
          { Action: 'secretsmanager:GetSecretValue', Effect: 'Allow', Resource: SECRET_ARN },
        ],
      })),
    );
  });

  test('a key of its own is for decrypting that secret, through Secrets Manager', () => {
    const granted = grantedOver({ awsSecret: SECRET_ARN, kmsKey: KEY });
    expect(granted.map(({ role }) => role)).toEqual(CALLERS);
    for (const { statements } of granted) {
      expect(statements).toEqual([
        { Action: 'secretsmanager:GetSecretValue', Effect: 'Allow', Resource: SECRET_ARN },
        {
          Action: 'kms:Decrypt',
          Effect: 'Allow',
          Resource: KEY,
          Condition: {
            StringEquals: {
              'kms:ViaService': 'secretsmanager.eu-central-1.amazonaws.com',
              'kms:EncryptionContext:SecretARN': SECRET_ARN,
            },
          },
        },
      ]);
    }
  });

  /** The statements that the secret adds to what the roles may do without one. */
  function grantedOver(secret: AwsSecret) {
    const statementsOf = (template: RolloutTemplate) =>
      Object.entries(template.Resources)
        .filter(([, { Type }]) => Type === 'AWS::IAM::Policy')
        .map(([id, { Properties }]) => {
          const { Statement } = Properties.PolicyDocument as { Statement: readonly Statement[] };
          return [dropLast(dropLast(pathOf(id))), Statement] as const;
        });
    const before = new Map(statementsOf({ Resources }));
    return statementsOf(templateOf(createStack({ auth: { kind: 'bearer', secret } })))
      .map(([role, statements]) => ({
        role,
        statements: statements.filter(
          (one) => !before.get(role)?.some((other) => isDeepStrictEqual(one, other)),
        ),
      }))
      .filter(({ statements }) => statements.length > 0)
      .toSorted((one, other) => one.role.localeCompare(other.role));
  }
});

test.each([
  ['environment', { environment: 'SHOP_TOKEN' }],
  ['file', { file: 'token' }],
])('A15: a secret from the %s is refused before anything is deployed', (key, secret) => {
  expect(() => createStack({ auth: { kind: 'bearer', secret } })).toThrow(
    `auth.secret: deployed functions read secrets from AWS Secrets Manager alone; use "awsSecret", not "${key}"`,
  );
});

function templateOf(stack: Stack): RolloutTemplate {
  return Template.fromStack(stack).toJSON() as RolloutTemplate;
}

function functionGrants(path: string): string[] {
  return [
    `logs:CreateLogStream ${path}/Logs`,
    `logs:PutLogEvents ${path}/Logs`,
    'xray:PutTelemetryRecords *',
    'xray:PutTraceSegments *',
  ];
}

/** Of the table its items, and the index of the leases that are held. */
function janitorGrants(name: string, more: readonly string[] = []): string[] {
  const queue = 'Janitor/DeadLetters/Queue';
  return [
    'dynamodb:GetItem Ledger/Table',
    'dynamodb:Query Ledger/Table',
    'dynamodb:Query Ledger/Table/index/held',
    'dynamodb:UpdateItem Ledger/Table',
    `sqs:SendMessage ${queue}`,
    ...more,
    ...functionGrants(`Janitor/${name}`),
  ].toSorted();
}

function stepGrants(name: keyof typeof TABLE_ACTIONS): string[] {
  const onTable = TABLE_ACTIONS[name].map((action) => `dynamodb:${action} Ledger/Table`);
  return [...onTable, ...functionGrants(`Steps/${name}`)];
}

/** `<action> <resource>` lines of every policy in the template, by the role that it is attached to. */
function grantsByRole(): Record<string, string[]> {
  const grants = new Map(ofType('AWS::IAM::Role').map(([id]) => [pathOf(id), [] as string[]]));
  for (const [, { Type, Properties }] of Object.entries(Resources)) {
    expect(Type).not.toMatch(/^AWS::IAM::(?!Role$|Policy$)|::ResourcePolicy$/);
    if (Type !== 'AWS::IAM::Policy') continue;
    const { Statement } = Properties.PolicyDocument as { Statement: readonly Statement[] };
    for (const role of Properties.Roles as readonly { readonly Ref: string }[]) {
      grants.get(pathOf(role.Ref))?.push(...Statement.flatMap(linesOf));
    }
  }
  return Object.fromEntries([...grants].map(([path, lines]) => [dropLast(path), lines.toSorted()]));
}

function linesOf({ Effect, Action, Resource, ...rest }: Statement): string[] {
  expect([Effect, rest]).toEqual(['Allow', {}]);
  const resources = [Resource].flat().map(nameOf);
  return [Action].flat().flatMap((action) => resources.map((resource) => `${action} ${resource}`));
}

function nameOf(resource: unknown): string {
  if (typeof resource === 'string') return resource;
  const keys = Object.keys(resource as object);
  // Of a state machine it is the ARN too.
  if (keys[0] === 'Ref') return pathOf((resource as { readonly Ref: string }).Ref);
  if (keys[0] === 'Fn::Join') return joinedName(resource as JoinedName);
  const [id = '', attribute] = (resource as { readonly 'Fn::GetAtt': string[] })['Fn::GetAtt'];
  expect([keys, attribute]).toEqual([['Fn::GetAtt'], 'Arn']);
  return pathOf(id);
}

interface JoinedName {
  readonly 'Fn::Join': readonly [string, readonly unknown[]];
}

/** What belongs to another resource: an index of the table, the executions of the state machine. */
function joinedName({ 'Fn::Join': [, parts] }: JoinedName): string {
  const text = JSON.stringify(parts);
  const [, stateMachine] = /:execution:.*"Ref":"(\w+)"/.exec(text) ?? [];
  if (stateMachine !== undefined) return `executions of ${pathOf(stateMachine)}`;
  return parts.map((part) => nameOf(part)).join('');
}

/** Where the construct stands in the stack: `Ledger/Table`. */
function pathOf(logicalId: string): string {
  const path = Resources[logicalId]?.Metadata?.['aws:cdk:path'] ?? '';
  return dropLast(path.slice(path.indexOf('/') + 1));
}

function dropLast(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function ofType(type: string): [string, Resource][] {
  return Object.entries(Resources).filter(([, { Type }]) => Type === type);
}
