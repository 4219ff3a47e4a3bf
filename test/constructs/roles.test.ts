import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { AwsSecret } from '../../lib/contract/input/secret-source.ts';
import { WORKFLOW_FUNCTIONS } from '../../lib/workflow/functions.ts';
import { SECRET_ARN } from '../support/secrets-manager.ts';
import { config, createStack } from './create-stack.ts';
import { type Resource, resourcesOf, type Statement } from './read-template.ts';
import { INDEX_ACTIONS, TABLE_ACTIONS } from './table-actions.ts';

const resources = resourcesOf(createStack());

test('each step may do to the table what it does, and no more', () => {
  const table = Object.keys(resources).find((id) => resources[id]?.Type === 'AWS::DynamoDB::Table');
  for (const name of WORKFLOW_FUNCTIONS) {
    const onTable = statementsOf(`Steps/${name}`).filter(({ Action }) =>
      [Action].flat()[0]?.startsWith('dynamodb:'),
    );
    const arn = { 'Fn::GetAtt': [table, 'Arn'] };
    const ofIndexes = (INDEX_ACTIONS[name] ?? []).map((said) => {
      const [action, index] = said.split(' of ');
      const Resource = { 'Fn::Join': ['', [arn, `/index/${index}`]] };
      return { Action: `dynamodb:${action}`, Effect: 'Allow', Resource };
    });
    expect(onTable).toEqual([
      {
        Action: TABLE_ACTIONS[name].map((action) => `dynamodb:${action}`),
        Effect: 'Allow',
        Resource: arn,
      },
      ...ofIndexes,
    ]);
  }
});

test('A11: the workflow may call every version of its functions, and of no other', () => {
  const [statement, ...others] = statementsOf('Workflow/StateMachine').filter(
    ({ Action }) => Action === 'lambda:InvokeFunction',
  );
  expect(others).toEqual([]);
  const versionsOf = (name: string) => {
    const arn = {
      'Fn::GetAtt': [expect.stringMatching(new RegExp(`^RolloutsSteps${name}Function`)), 'Arn'],
    };
    return { 'Fn::Join': ['', [arn, ':*']] };
  };
  expect(statement?.Resource).toHaveLength(WORKFLOW_FUNCTIONS.length);
  expect(statement?.Resource).toEqual(expect.arrayContaining(WORKFLOW_FUNCTIONS.map(versionsOf)));
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
  expect(new Set(roles).size).toBe(11);
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
      FunctionName: {
        'Fn::GetAtt': [expect.stringMatching(/^RolloutsTriggersStartstartFunction/), 'Arn'],
      },
      Principal: 'events.amazonaws.com',
      SourceArn: {
        'Fn::GetAtt': [expect.stringMatching(/^RolloutsTriggersReleaseRulesPublished/), 'Arn'],
      },
    },
  ]);
});

describe('with credentials in Secrets Manager', () => {
  const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/0aa11bb2-3c4d-5e6f-7a8b-9c0d1e2f3a4b';
  const CALLERS = [
    'Operations/create',
    'Operations/list',
    'Steps/look',
    'Steps/openRollout',
    'Steps/roll',
    'Steps/stop',
    'Steps/turnAround',
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
            StringEquals: { 'kms:ViaService': 'secretsmanager.eu-central-1.amazonaws.com' },
            StringLike: { 'kms:EncryptionContext:SecretARN': SECRET_ARN },
          },
        },
      ]);
    }
  });

  test('those of TLS are read by the same functions, each once', () => {
    const client = { awsSecret: `${SECRET_ARN.slice(0, -6)}GhIjKl`, kmsKey: KEY };
    const granted = grantedOver(
      { awsSecret: SECRET_ARN },
      { tls: { ca: { awsSecret: SECRET_ARN }, cert: client, key: client } },
    );
    expect(granted.map(({ role }) => role)).toEqual(CALLERS);
    for (const { statements } of granted) {
      expect(statements.map(({ Action, Resource }) => [Action, Resource])).toEqual([
        ['secretsmanager:GetSecretValue', [SECRET_ARN, client.awsSecret]],
        ['kms:Decrypt', KEY],
      ]);
    }
  });

  /** The statements that the secret adds to what the roles may do without one. */
  function grantedOver(secret: AwsSecret, more: object = {}) {
    const statementsOf = (all: typeof resources) =>
      Object.entries(all)
        .filter(([, { Type }]) => Type === 'AWS::IAM::Policy')
        .map(([id, { Properties }]) => {
          const { Statement } = Properties.PolicyDocument as { Statement: readonly Statement[] };
          return [dropLast(dropLast(pathOf(id))), Statement] as const;
        });
    const before = new Map(statementsOf(resources));
    return statementsOf(
      resourcesOf(createStack({ base: { ...config, ...more }, auth: { kind: 'bearer', secret } })),
    )
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

test('A15: so is a client key from a file', () => {
  const cert = { awsSecret: SECRET_ARN };
  expect(() =>
    createStack({ base: { ...config, tls: { cert, key: { file: 'key.pem' } } } }),
  ).toThrow(
    'tls.key: deployed functions read secrets from AWS Secrets Manager alone; use "awsSecret", not "file"',
  );
});

/** The statements in the policy of the role at this place of the construct. */
function statementsOf(path: string): readonly Statement[] {
  return ofType('AWS::IAM::Policy')
    .filter(([id]) => pathOf(id) === `${path}/Role/DefaultPolicy`)
    .flatMap(([, { Properties }]) => {
      const { Statement } = Properties.PolicyDocument as { Statement: readonly Statement[] };
      return Statement;
    });
}

function nameOf(resource: unknown): string {
  const [id = ''] = (resource as { readonly 'Fn::GetAtt': string[] })['Fn::GetAtt'];
  return pathOf(id);
}

/** Where it stands in the construct: `Ledger/Table6`. */
function pathOf(logicalId: string): string {
  const path = resources[logicalId]?.Metadata?.['aws:cdk:path'] ?? '';
  return dropLast(path.replace(/^Steproll\/Rollouts\//, ''));
}

function dropLast(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function ofType(type: string): [string, Resource][] {
  return Object.entries(resources).filter(([, { Type }]) => Type === type);
}
