import { describe, expect, test } from '@jest/globals';
import { AspectPriority, Aspects, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import type { IConstruct } from 'constructs';
import { Encryption } from '../../../lib/constructs/resources/encryption.ts';
import { createApp } from '../../support/create-app.ts';
import { createStack } from '../create-stack.ts';
import { EVERYTHING } from '../everything.ts';

const ARN = 'arn:aws:kms:eu-central-1:123456789012:key/0aa11bb2-3c4d-5e6f-7a8b-9c0d1e2f3a4b';
const { kmsKey: _key, ...withoutKey } = EVERYTHING;

describe('with a key of its own', () => {
  const template = Template.fromStack(createStack({ base: { ...withoutKey, kmsKey: 'create' } }));
  const keys = template.findResources('AWS::KMS::Key', {
    Properties: { Description: 'Encrypts the ledger, the dead letters and the logs of Steproll' },
  });
  const [id = ''] = Object.keys(keys);

  test('everything that is kept is encrypted with it', () => {
    const key = { 'Fn::GetAtt': [id, 'Arn'] };
    expect(encryptionIn(template)).toEqual({
      'AWS::DynamoDB::Table': [{ SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: key }],
      'AWS::SQS::Queue': [key],
      'AWS::Logs::LogGroup': [key],
    });
  });

  test('no queue asks for keys of SQS as well, which CloudFormation would refuse', () => {
    for (const queue of Object.values(template.findResources('AWS::SQS::Queue'))) {
      expect(queue.Properties).not.toHaveProperty('SqsManagedSseEnabled');
    }
  });

  test('it is rotated, and outlives the stack as the ledger does', () => {
    expect(keys[id]).toMatchObject({
      Properties: { EnableKeyRotation: true },
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
    });
  });
});

test('with a key of yours everything is encrypted with that, and none is made', () => {
  const { notifications: _own, ...base } = withoutKey;
  const template = Template.fromStack(createStack({ base: { ...base, kmsKey: ARN } }));

  template.resourceCountIs('AWS::KMS::Key', 0);
  expect(encryptionIn(template)).toEqual({
    'AWS::DynamoDB::Table': [{ SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: ARN }],
    'AWS::SQS::Queue': [ARN],
    'AWS::Logs::LogGroup': [ARN],
  });
});

test('the aspects of others see what is encrypted', () => {
  const stack = createStack({ base: { ...withoutKey, kmsKey: ARN } });
  const seen: unknown[] = [];
  const look = (one: IConstruct) => {
    if (one instanceof CfnLogGroup) seen.push(one.kmsKeyId);
  };
  Aspects.of(stack).add({ visit: look }, { priority: AspectPriority.READONLY });
  Aspects.of(stack.node.root).add({ visit: look });
  Template.fromStack(stack);

  expect(new Set(seen)).toEqual(new Set([ARN]));
});

test.each([
  [{ region: 'us-east-1', account: '123456789012' }, 'region us-east-1'],
  [{ region: 'us-east-1' }, 'region us-east-1'],
  [{ region: 'eu-central-1', account: '210987654321' }, 'account 210987654321'],
])('a key of elsewhere is refused: in %j', (env, where) => {
  const stack = new Stack(createApp(), 'Elsewhere', { env });
  const encryption = () => new Encryption(stack, 'Keys', { kmsKey: ARN, everythingIn: stack });

  expect(encryption).toThrow(
    `1 mistake:\n  kmsKey: "${ARN}" is not allowed; use a key of the ${where}`,
  );
});

test('without one AWS manages the keys', () => {
  const template = Template.fromStack(createStack({ base: withoutKey }));

  expect(encryptionIn(template)).toEqual({
    'AWS::DynamoDB::Table': [{ SSEEnabled: true }],
    'AWS::SQS::Queue': [null],
    'AWS::Logs::LogGroup': [null],
  });
  template.allResourcesProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true });
});

const KEY_PROPERTIES = {
  'AWS::DynamoDB::Table': 'SSESpecification',
  'AWS::SQS::Queue': 'KmsMasterKeyId',
  'AWS::Logs::LogGroup': 'KmsKeyId',
};

/** By each type of resource that keeps data: how those of the type are encrypted, where they differ. */
function encryptionIn(template: Template): Record<string, unknown[]> {
  return Object.fromEntries(
    Object.entries(KEY_PROPERTIES).map(([type, property]) => {
      const resources = Object.values(template.findResources(type));
      const all = resources.map(({ Properties }) => JSON.stringify(Properties[property] ?? null));
      return [type, [...new Set(all)].map((text) => JSON.parse(text))];
    }),
  );
}
