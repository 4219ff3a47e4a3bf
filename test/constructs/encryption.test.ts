import { describe, expect, test } from '@jest/globals';
import { Template } from 'aws-cdk-lib/assertions';
import { createStack } from '../stacks/create-stack.ts';
import { EVERYTHING } from '../stacks/everything.ts';

const ARN = 'arn:aws:kms:eu-central-1:123456789012:key/0aa11bb2-3c4d-5e6f-7a8b-9c0d1e2f3a4b';
const { kmsKey: _key, ...withoutKey } = EVERYTHING;

describe('with a key of its own', () => {
  const template = Template.fromStack(createStack({ base: { ...withoutKey, kmsKey: 'create' } }));
  const keys = template.findResources('AWS::KMS::Key', {
    Properties: { Description: 'Encrypts the ledger, the dead letters and the logs of rollouts' },
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
