import { expect, test } from '@jest/globals';
import { partialPolicySchema } from '../../lib/contract/config/policy.ts';
import { WORKFLOW_FUNCTIONS } from '../../lib/workflow/functions.ts';
import { SECRET_ARN } from '../support/secrets-manager.ts';
import { createStack } from './create-stack.ts';
import { describePermissions } from './describe-permissions.ts';
import { AGENTCORE, EVERYTHING, KEY_ARN } from './everything.ts';
import { resourcesOf } from './read-template.ts';

const all = describePermissions(createStack({ base: EVERYTHING }));
const ofEachFunction = [
  ...['Operations/list', 'Operations/create', 'Triggers/Start/start'],
  ...['Janitor/janitor', 'Janitor/sweep'],
  ...WORKFLOW_FUNCTIONS.map((name) => `Steps/${name}`),
].flatMap((role) => [
  `${role}: logs:CreateLogStream, logs:PutLogEvents on ${role}/Logs`,
  `${role}: sts:AssumeRole for lambda.amazonaws.com`,
  `${role}: xray:PutTelemetryRecords, xray:PutTraceSegments on *`,
]);

test('these are all permissions, with everything switched on: read each line as an attacker', () => {
  const others = all
    .filter((line) => !ofEachFunction.includes(line))
    .map((line) => line.replaceAll(SECRET_ARN, 'the secret').replaceAll(KEY_ARN, 'its key'));
  expect(others.toSorted()).toEqual(PERMISSIONS.trim().split('\n'));
});

test('each function writes its own log and its traces', () => {
  const lines = all.map((line) => line.replaceAll(/cloudwatch:\w+, /g, ''));
  expect(lines).toEqual(expect.arrayContaining(ofEachFunction));
});

test('the default configuration gives none beyond these', () => {
  const known = [...all, ...ofEachFunction];
  const byDefault = describePermissions(createStack());
  // Fewer rules may give to the queue.
  const isKnown = (line: string) =>
    known.some((one) => one === line || one.startsWith(`${line} or `));
  expect(byDefault.filter((line) => !isKnown(line))).toEqual([]);
});

test('a policy that no runtime names gives none', () => {
  const stack = createStack({
    base: {
      endpointUrl: 'https://endpoints.example.com',
      policies: { shop: partialPolicySchema.parse({ verify: { alarms: ['shop-5xx'] } }) },
      runtimes: { shop: {} },
    },
  });
  expect(describePermissions(stack).filter((line) => line.includes('DescribeAlarms'))).toEqual([]);
});

test.each([
  ['nothing', {}, []],
  ['a probe', { probe: { path: '/', hosts: ['*.example.com'] } }, []],
  [
    'alarms',
    { alarms: ['shop-5xx'] },
    ['look: cloudwatch:DescribeAlarms', 'openRollout: cloudwatch:DescribeAlarms'],
  ],
  [
    'metrics',
    { metrics: [{ namespace: 'Shop', metric: 'Errors', limit: { above: 5 } }] },
    ['look: cloudwatch:GetMetricData', 'openRollout: cloudwatch:GetMetricData'],
  ],
  [
    'metrics of each endpoint, which nobody can ask before',
    {
      metrics: [
        {
          ...{ namespace: 'Shop', metric: 'Errors', limit: { above: 5 } },
          dimensions: { Name: '{endpoint}' },
        },
      ],
    },
    ['look: cloudwatch:GetMetricData'],
  ],
])('a policy that verifies %s lets the steps read no more of CloudWatch', (_, verify, actions) => {
  const lines = describePermissions(
    createStack({
      base: {
        endpointUrl: 'https://endpoints.example.com',
        policies: { shop: partialPolicySchema.parse({ verify }) },
        runtimes: { shop: { policy: 'shop' } },
      },
    }),
  );
  const read = lines.flatMap((line) => line.match(/(?<=^Steps\/)\w+: cloudwatch:\w+/g) ?? []);
  expect(read.toSorted()).toEqual(actions);
});

test('one function of the workflow may start executions, also without groups: the one that rolls', () => {
  const { groups, ...without } = EVERYTHING;
  expect(describePermissions(createStack({ base: without })).toSorted()).toEqual(all.toSorted());
  expect(all).toContain('Workflow/Children: states:StartExecution on Workflow/StateMachine');
  const policies = Object.values(resourcesOf(createStack({ base: EVERYTHING })));
  const children = policies.find(({ Metadata }) =>
    Metadata?.['aws:cdk:path']?.endsWith('/Workflow/Children/Resource'),
  );
  expect(children?.Properties.Roles).toEqual([{ Ref: expect.stringMatching(/StepsrollRole/) }]);
});

test('the alarms of a group are read, too', () => {
  const groups = { prod: { runtimes: ['shop'], policy: { verify: { alarms: ['errors'] } } } };
  const runtimes = { shop: {} };
  const base = { endpointUrl: 'https://endpoints.example.com', runtimes, groups };
  const lines = describePermissions(createStack({ base }));
  expect(lines.filter((line) => line.includes('cloudwatch:')).toSorted()).toEqual([
    expect.stringMatching(/^Steps\/look: cloudwatch:DescribeAlarms, /),
    expect.stringMatching(/^Steps\/openRollout: cloudwatch:DescribeAlarms, /),
  ]);
});

test('a deployment for AgentCore gives what its functions need there, for its runtimes alone, and no secret', () => {
  const known = new Set([...all, ...ofEachFunction]);
  const lines = describePermissions(createStack({ base: AGENTCORE }));
  const others = lines
    .filter((line) => /bedrock|secret|kms/.test(line) || !known.has(line))
    .filter((line) => !/^Triggers\/DeadLetters/.test(line));
  expect(others.toSorted()).toEqual(ON_AGENTCORE.trim().split('\n').toSorted());
});

test('one for harnesses gives what writes to a harness and to its runtime need, on the harness alone', () => {
  const service = { kind: 'agentcore', of: 'harness', region: 'eu-central-1' } as const;
  const lines = describePermissions(createStack({ base: { ...AGENTCORE, service } }));
  const all = lines.filter((line) => line.includes('bedrock-agentcore:'));
  expect(all.toSorted()).toEqual(ON_HARNESSES.trim().split('\n').toSorted());
});

const LIST = 'bedrock-agentcore:ListAgentRuntimeEndpoints';
const TRACES = 'xray:PutTelemetryRecords, xray:PutTraceSegments';
const SHOP = 'arn:Partition:bedrock-agentcore:eu-central-1:AccountId:runtime/shop-a1B2c3D4e5';
const ENDPOINTS = `${SHOP}, ${SHOP}/runtime-endpoint/*`;
const ON_AGENTCORE = `
Operations/create: bedrock-agentcore:CreateAgentRuntimeEndpoint on ${SHOP}
Operations/create: ${LIST}, ${TRACES} on *
Operations/list: ${LIST}, ${TRACES} on *
Steps/look: bedrock-agentcore:GetAgentRuntimeEndpoint on ${ENDPOINTS}
Steps/look: ${LIST}, ${TRACES} on *
Steps/openRollout: bedrock-agentcore:GetAgentRuntimeEndpoint on ${ENDPOINTS}
Steps/openRollout: ${LIST}, bedrock-agentcore:ListAgentRuntimeVersions, ${TRACES} on *
Steps/roll: bedrock-agentcore:UpdateAgentRuntimeEndpoint on ${ENDPOINTS}
Steps/roll: ${LIST}, ${TRACES} on *
Steps/stop: ${LIST}, ${TRACES} on *
Steps/turnAround: ${LIST}, ${TRACES} on *
`;

const LIST_OF_HARNESS = 'bedrock-agentcore:ListHarnessEndpoints';
const HARNESS = SHOP.replace(':runtime/', ':harness/');
const ON_HARNESSES = `
Operations/create: bedrock-agentcore:CreateAgentRuntimeEndpoint, bedrock-agentcore:CreateHarnessEndpoint on ${HARNESS}
Operations/create: ${LIST_OF_HARNESS}, ${TRACES} on *
Operations/list: ${LIST_OF_HARNESS}, ${TRACES} on *
Steps/look: ${LIST_OF_HARNESS}, ${TRACES} on *
Steps/openRollout: ${LIST_OF_HARNESS}, bedrock-agentcore:ListHarnessVersions, ${TRACES} on *
Steps/roll: bedrock-agentcore:UpdateAgentRuntimeEndpoint, bedrock-agentcore:UpdateHarnessEndpoint on ${HARNESS}, ${HARNESS}/harness-endpoint/*
Steps/roll: ${LIST_OF_HARNESS}, ${TRACES} on *
Steps/stop: ${LIST_OF_HARNESS}, ${TRACES} on *
Steps/turnAround: ${LIST_OF_HARNESS}, ${TRACES} on *
`;

const PERMISSIONS = `
Encryption/Key: kms:* for arn:Partition:iam::AccountId:root
Encryption/Key: kms:CreateGrant, kms:Decrypt, kms:DescribeKey, kms:Encrypt, kms:GenerateDataKey*, kms:ReEncrypt* for * if StringEquals kms:ViaService dynamodb.Region.amazonaws.com or dynamodb.Region.URLSuffix and kms:CallerAccount AccountId
Encryption/Key: kms:Decrypt, kms:DescribeKey, kms:Encrypt, kms:GenerateDataKey*, kms:ReEncrypt* for logs.Region.URLSuffix if ArnLike kms:EncryptionContext:aws:logs:arn arn:Partition:logs:Region:AccountId:log-group:*
Encryption/Key: kms:Decrypt, kms:GenerateDataKey* for * if StringEquals kms:ViaService sqs.Region.amazonaws.com or sqs.Region.URLSuffix and kms:CallerAccount AccountId
Encryption/Key: kms:Decrypt, kms:GenerateDataKey* for events.amazonaws.com or sns.amazonaws.com if ArnLike kms:EncryptionContext:aws:sqs:arn arn:Partition:sqs:Region:AccountId:*
Janitor/DeadLetters/Queue: Deny sqs:* for * if Bool aws:SecureTransport false
Janitor/DeadLetters/Queue: sqs:SendMessage for events.amazonaws.com if ArnEquals aws:SourceArn Janitor/Ended
Janitor/DeadLetters/Queue: sqs:SendMessage for events.amazonaws.com if ArnEquals aws:SourceArn Janitor/Regularly
Janitor/janitor/Function: lambda:InvokeFunction for events.amazonaws.com if from Janitor/Ended
Janitor/janitor: dynamodb:BatchGetItem, dynamodb:GetItem, dynamodb:Query, dynamodb:UpdateItem on Ledger/Table6
Janitor/janitor: dynamodb:Query on Ledger/Table6/index/open
Janitor/janitor: events:PutEvents on Releases/Bus if StringEquals events:source steproll
Janitor/janitor: sqs:SendMessage on Janitor/DeadLetters/Queue
Janitor/janitor: states:DescribeExecution on arn:Partition:states:Region:AccountId:execution:…:*
Janitor/sweep/Function: lambda:InvokeFunction for events.amazonaws.com if from Janitor/Regularly
Janitor/sweep: dynamodb:BatchGetItem, dynamodb:GetItem, dynamodb:Query, dynamodb:UpdateItem on Ledger/Table6
Janitor/sweep: dynamodb:Query on Ledger/Table6/index/open
Janitor/sweep: events:PutEvents on Releases/Bus if StringEquals events:source steproll
Janitor/sweep: sqs:SendMessage on Janitor/DeadLetters/Queue
Janitor/sweep: states:DescribeExecution on arn:Partition:states:Region:AccountId:execution:…:*
OnCall/Notifications/DeadLetters/Queue: Deny sqs:* for * if Bool aws:SecureTransport false
OnCall/Notifications/DeadLetters/Queue: sqs:SendMessage for events.amazonaws.com if ArnEquals aws:SourceArn OnCall/Notifications/Rule
OnCall/Notifications/DeadLetters/Queue: sqs:SendMessage for sns.amazonaws.com if ArnEquals aws:SourceArn OnCall/Notifications/Own/Topic
OnCall/Notifications/Own/Key: kms:* for arn:Partition:iam::AccountId:root
OnCall/Notifications/Own/Key: kms:Decrypt, kms:GenerateDataKey* for cloudwatch.amazonaws.com if ArnLike kms:EncryptionContext:aws:sns:topicArn arn:Partition:sns:Region:AccountId:* and StringEquals aws:SourceAccount AccountId
OnCall/Notifications/Own/Topic: Deny sns:Publish for * if Bool aws:SecureTransport false
OnCall/Notifications/Own/Topic: sns:Publish for cloudwatch.amazonaws.com if StringEquals aws:SourceAccount AccountId and ArnLike aws:SourceArn arn:Partition:cloudwatch:Region:AccountId:alarm:*
OnCall/Notifications/OwnChat/Topic: Deny sns:Publish for * if Bool aws:SecureTransport false
OnCall/Notifications/OwnChat/Topic: sns:Publish for cloudwatch.amazonaws.com if StringEquals aws:SourceAccount AccountId and ArnLike aws:SourceArn arn:Partition:cloudwatch:Region:AccountId:alarm:*
OnCall/Notifications/Publisher: kms:Decrypt, kms:GenerateDataKey* on OnCall/Notifications/Own/Key
OnCall/Notifications/Publisher: sns:Publish on OnCall/Notifications/OwnChat/Topic, OnCall/Notifications/Own/Topic
OnCall/Notifications/Publisher: sts:AssumeRole for events.amazonaws.com if StringEquals aws:SourceAccount AccountId and ArnEquals aws:SourceArn arn:Partition:events:Region:AccountId:rule/Releases/Bus/steproll-notifications
Operations/create: kms:Decrypt on its key if StringEquals kms:ViaService secretsmanager.eu-central-1.amazonaws.com and StringLike kms:EncryptionContext:SecretARN the secret
Operations/create: secretsmanager:GetSecretValue on the secret
Operations/list: kms:Decrypt on its key if StringEquals kms:ViaService secretsmanager.eu-central-1.amazonaws.com and StringLike kms:EncryptionContext:SecretARN the secret
Operations/list: secretsmanager:GetSecretValue on the secret
Releases/Bus: events:PutEvents for arn:Partition:iam::111122223333:root if StringEquals events:source steproll.release and events:detail-type Release Published
Steps/closeRollout: dynamodb:BatchGetItem, dynamodb:GetItem, dynamodb:Query, dynamodb:UpdateItem on Ledger/Table6
Steps/closeRollout: events:PutEvents on Releases/Bus if StringEquals events:source steproll
Steps/look: cloudwatch:DescribeAlarms, cloudwatch:GetMetricData, xray:PutTelemetryRecords, xray:PutTraceSegments on *
Steps/look: dynamodb:BatchGetItem, dynamodb:GetItem, dynamodb:PutItem, dynamodb:Query, dynamodb:UpdateItem on Ledger/Table6
Steps/look: events:PutEvents on Releases/Bus if StringEquals events:source steproll
Steps/look: kms:Decrypt on its key if StringEquals kms:ViaService secretsmanager.eu-central-1.amazonaws.com and StringLike kms:EncryptionContext:SecretARN the secret
Steps/look: secretsmanager:GetSecretValue on the secret
Steps/openRollout: cloudwatch:DescribeAlarms, cloudwatch:GetMetricData, xray:PutTelemetryRecords, xray:PutTraceSegments on *
Steps/openRollout: dynamodb:BatchGetItem, dynamodb:GetItem, dynamodb:PutItem, dynamodb:Query, dynamodb:UpdateItem on Ledger/Table6
Steps/openRollout: dynamodb:Query on Ledger/Table6/index/ofRuntime
Steps/openRollout: events:PutEvents on Releases/Bus if StringEquals events:source steproll
Steps/openRollout: kms:Decrypt on its key if StringEquals kms:ViaService secretsmanager.eu-central-1.amazonaws.com and StringLike kms:EncryptionContext:SecretARN the secret
Steps/openRollout: secretsmanager:GetSecretValue on the secret
Steps/roll: dynamodb:BatchGetItem, dynamodb:GetItem, dynamodb:PutItem, dynamodb:Query, dynamodb:UpdateItem on Ledger/Table6
Steps/roll: kms:Decrypt on its key if StringEquals kms:ViaService secretsmanager.eu-central-1.amazonaws.com and StringLike kms:EncryptionContext:SecretARN the secret
Steps/roll: secretsmanager:GetSecretValue on the secret
Steps/stop: dynamodb:BatchGetItem, dynamodb:GetItem, dynamodb:PutItem, dynamodb:Query, dynamodb:UpdateItem on Ledger/Table6
Steps/stop: kms:Decrypt on its key if StringEquals kms:ViaService secretsmanager.eu-central-1.amazonaws.com and StringLike kms:EncryptionContext:SecretARN the secret
Steps/stop: secretsmanager:GetSecretValue on the secret
Steps/turnAround: dynamodb:BatchGetItem, dynamodb:GetItem, dynamodb:PutItem, dynamodb:Query, dynamodb:UpdateItem on Ledger/Table6
Steps/turnAround: events:PutEvents on Releases/Bus if StringEquals events:source steproll
Steps/turnAround: kms:Decrypt on its key if StringEquals kms:ViaService secretsmanager.eu-central-1.amazonaws.com and StringLike kms:EncryptionContext:SecretARN the secret
Steps/turnAround: secretsmanager:GetSecretValue on the secret
Triggers/DeadLetters/Queue: Deny sqs:* for * if Bool aws:SecureTransport false
Triggers/DeadLetters/Queue: sqs:SendMessage for events.amazonaws.com if ArnEquals aws:SourceArn Triggers/ReleaseRules/Published/Rule or Triggers/ReleaseRules/From-ecr/Rule or Triggers/Schedules/Rule-hourly/Rule
Triggers/Schedules/Zoned: lambda:InvokeFunction on Triggers/Start/start/Function
Triggers/Schedules/Zoned: sqs:SendMessage on Triggers/DeadLetters/Queue
Triggers/Schedules/Zoned: sts:AssumeRole for scheduler.amazonaws.com if StringEquals aws:SourceAccount AccountId and aws:SourceArn Triggers/Schedules/Zoned/Group
Triggers/Start/start/Function: lambda:InvokeFunction for events.amazonaws.com if from Triggers/ReleaseRules/From-ecr/Rule
Triggers/Start/start/Function: lambda:InvokeFunction for events.amazonaws.com if from Triggers/ReleaseRules/Published/Rule
Triggers/Start/start/Function: lambda:InvokeFunction for events.amazonaws.com if from Triggers/Schedules/Rule-hourly/Rule
Triggers/Start/start: dynamodb:UpdateItem on Ledger/Table6 if ForAllValues:StringLike dynamodb:LeadingKeys rollout#*
Triggers/Start/start: sqs:SendMessage on Triggers/DeadLetters/Queue
Triggers/Start/start: states:StartExecution on Workflow/StateMachine
Workflow/Children: states:StartExecution on Workflow/StateMachine
Workflow/HandOver: states:StartExecution on Workflow/StateMachine
Workflow/StateMachine: lambda:InvokeFunction on Steps/closeRollout/Function:*, Steps/look/Function:*, Steps/openRollout/Function:*, Steps/roll/Function:*, Steps/stop/Function:*, Steps/turnAround/Function:*
Workflow/StateMachine: logs:CreateLogDelivery, logs:DeleteLogDelivery, logs:DescribeLogGroups, logs:DescribeResourcePolicies, logs:GetLogDelivery, logs:ListLogDeliveries, logs:PutResourcePolicy, logs:UpdateLogDelivery, xray:GetSamplingRules, xray:GetSamplingTargets, xray:PutTelemetryRecords, xray:PutTraceSegments on *
Workflow/StateMachine: sts:AssumeRole for states.amazonaws.com if ArnLike aws:SourceArn arn:Partition:states:Region:AccountId:stateMachine:* and StringEquals aws:SourceAccount AccountId
`;
