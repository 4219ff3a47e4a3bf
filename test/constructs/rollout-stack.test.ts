import { describe, expect, test } from '@jest/globals';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { parseConfig } from '../../lib/contract/config/config.ts';
import { POLICIES_FILE, TRIGGERS_FILE } from '../../lib/contract/functions/code-files.ts';
import { LEDGER_INDEXES } from '../../lib/contract/ledger/table.ts';
import { ROLLOUT_DEFINITION } from '../../lib/workflow/definition.ts';
import {
  FUNCTION_TIMEOUT_MARGIN_SECONDS,
  PARTITION,
  TASK_TIMEOUT_SECONDS,
  WORKFLOW_FUNCTIONS,
} from '../../lib/workflow/functions.ts';
import { config, createStack } from './create-stack.ts';
import { codeFilesOf } from './read-template.ts';

const stack = createStack();
const template = Template.fromStack(stack);

type Resources = Readonly<Record<string, { readonly Properties: Record<string, unknown> }>>;
const resourcesOf = (type: string): Resources => template.findResources(type) as Resources;
const functions = resourcesOf('AWS::Lambda::Function');
const logGroups = resourcesOf('AWS::Logs::LogGroup');
const onlyOne = (type: string) => {
  const all = Object.values(resourcesOf(type));
  expect(all).toHaveLength(1);
  return all[0]?.Properties ?? {};
};

describe('functions', () => {
  test('eleven, and nothing else that runs code', () => {
    expect(Object.keys(functions).map((id) => id.replace(/Function[0-9A-F]{8}$/, ''))).toEqual(
      expect.arrayContaining([
        'RolloutsOperationslist',
        'RolloutsOperationscreate',
        ...WORKFLOW_FUNCTIONS.map((name) => `RolloutsSteps${name}`),
        'RolloutsTriggersStartstart',
      ]),
    );
    expect(Object.keys(functions)).toHaveLength(11);
  });

  test.each(Object.entries(functions))('%s: arm64, Node.js 24, traced, in JSON', (_, resource) => {
    expect(resource.Properties).toMatchObject({
      Architectures: ['arm64'],
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      MemorySize: expect.any(Number),
      Timeout: expect.any(Number),
      Description: expect.any(String),
      TracingConfig: { Mode: 'Active' },
      LoggingConfig: { LogFormat: 'JSON', LogGroup: { Ref: expect.any(String) } },
    });
  });

  test('each has a log group of its own, and every log group forgets', () => {
    const used = Object.values(functions).map(({ Properties }) => {
      return (Properties.LoggingConfig as { LogGroup: { Ref: string } }).LogGroup.Ref;
    });
    expect(new Set(used).size).toBe(11);
    // The state machine has one too.
    expect(Object.keys(logGroups)).toHaveLength(12);
    expect(Object.keys(logGroups)).toEqual(expect.arrayContaining(used));
    for (const { Properties } of Object.values(logGroups)) {
      expect(Properties.RetentionInDays).toBe(90);
    }
  });

  test.each(WORKFLOW_FUNCTIONS)('%s gives up before the state machine gives it up', (name) => {
    const timeout = TASK_TIMEOUT_SECONDS[name] - FUNCTION_TIMEOUT_MARGIN_SECONDS;
    expect(functionCalled(name)).toMatchObject({ Timeout: timeout });
    expect(timeout).toBeGreaterThan(0);
  });

  test('an event that nobody waits for is handled again only by what starts a rollout once, and closes it once', () => {
    const configs = Object.entries(resourcesOf('AWS::Lambda::EventInvokeConfig'));
    expect(configs).toHaveLength(11);
    for (const [id, { Properties }] of configs) {
      const isOnce = /^Rollouts(TriggersStart|Janitor)/.test(id);
      expect([id, Properties.MaximumRetryAttempts]).toEqual([id, isOnce ? 2 : 0]);
    }
  });

  test('the start function is told the workflow and the rules, and no policy', () => {
    const { Variables } = functionOf('TriggersStartstart').Environment as {
      Variables: Record<string, string>;
    };
    const machine = Object.keys(resourcesOf('AWS::StepFunctions::StateMachine'))[0];
    expect(Variables.STATE_MACHINE_ARN).toEqual({ Ref: machine });
    expect(codeFilesOf(stack, TRIGGERS_FILE)).toEqual([
      { rules: { runtimes: [], groups: [], maxAgeSeconds: 900 }, releases: [] },
    ]);
  });

  const SERVICE = ['SERVICE'];
  const BUS = ['EVENT_BUS_NAME', 'STACK_NAME'];
  test.each<[string, readonly string[]]>([
    ['Operations.list', SERVICE],
    ['Operations.create', SERVICE],
    ['Steps.openRollout', [...SERVICE, 'TABLE_NAME', ...BUS]],
    ['Steps.roll', [...SERVICE, 'TABLE_NAME']],
    ['Steps.look', [...SERVICE, 'TABLE_NAME', ...BUS]],
    ['Steps.turnAround', [...SERVICE, 'TABLE_NAME', ...BUS]],
    ['Steps.stop', [...SERVICE, 'TABLE_NAME']],
    ['Steps.closeRollout', ['TABLE_NAME', ...BUS]],
    ['Triggers.Start.start', ['TABLE_NAME', 'STATE_MACHINE_ARN']],
    ['Janitor.janitor', ['TABLE_NAME', ...BUS, 'STATE_MACHINE_ARN']],
    ['Janitor.sweep', ['TABLE_NAME', ...BUS, 'STATE_MACHINE_ARN']],
  ])('%s is told what it needs and no more', (path, names) => {
    const { Variables } = functionOf(path.replaceAll('.', '')).Environment as {
      Variables: Record<string, string>;
    };
    expect(Object.keys(Variables).toSorted()).toEqual(names.toSorted());
    const table = Object.keys(resourcesOf('AWS::DynamoDB::Table'))[0];
    const bus = Object.keys(resourcesOf('AWS::Events::EventBus'))[0];
    const { TABLE_NAME, EVENT_BUS_NAME, SERVICE } = Variables;
    const { service } = parseConfig(config);
    if (names.includes('TABLE_NAME')) expect(TABLE_NAME).toEqual({ Ref: table });
    if (names.includes('EVENT_BUS_NAME')) expect(EVENT_BUS_NAME).toEqual({ Ref: bus });
    if (names.includes('SERVICE')) expect(JSON.parse(SERVICE ?? '')).toEqual(service);
  });

  test('one function has the policies beside its code', () => {
    const { policies, runtimes } = parseConfig(config);
    expect(codeFilesOf(stack, POLICIES_FILE)).toEqual([{ policies, runtimes }]);
  });

  test('these are all functions', () => {
    expect(Object.keys(resourcesOf('AWS::Lambda::Function'))).toHaveLength(11);
  });
});

describe('state machine', () => {
  const properties = onlyOne('AWS::StepFunctions::StateMachine');

  test('the definition is the one that the embedded engine runs', () => {
    expect(JSON.parse(String(properties.DefinitionString))).toEqual(ROLLOUT_DEFINITION);
  });

  test('each placeholder stands for the function of its name', () => {
    const substitutions = properties.DefinitionSubstitutions as Record<string, unknown>;
    const names = [...WORKFLOW_FUNCTIONS, PARTITION];
    expect(Object.keys(substitutions).toSorted()).toEqual(names.toSorted());
    const placeholders = String(properties.DefinitionString).matchAll(/\$\{(\w+)\}/g);
    expect(new Set([...placeholders].map(([, name]) => name))).toEqual(new Set(names));
    for (const name of WORKFLOW_FUNCTIONS) {
      expect(functionOfVersion(substitutions[name])).toMatch(`RolloutsSteps${name}Function`);
    }
  });

  test('A11: what it calls are versions that stay when a later deployment has newer ones', () => {
    const { [PARTITION]: _, ...versions } = properties.DefinitionSubstitutions as Record<
      string,
      unknown
    >;
    for (const version of Object.values(versions)) {
      template.templateMatches({
        Resources: {
          [(version as { Ref: string }).Ref]: {
            Type: 'AWS::Lambda::Version',
            DeletionPolicy: 'Retain',
            UpdateReplacePolicy: 'Retain',
          },
        },
      });
    }
    template.resourceCountIs('AWS::Lambda::Version', WORKFLOW_FUNCTIONS.length);
  });

  test('A11: another policy is another version of the function that reads it, and the same one is not', () => {
    const versionsWith = (bakeSeconds: number) => {
      const stack = createStack({ policy: { bakeSeconds } });
      return Object.keys(Template.fromStack(stack).findResources('AWS::Lambda::Version'));
    };
    const versions = versionsWith(60);
    expect(versionsWith(60)).toEqual(versions);
    const both = new Set([...versions, ...versionsWith(61)]);
    // The others find the policy of their rollout in the ledger.
    expect(both.size).toBe(WORKFLOW_FUNCTIONS.length + 1);
  });

  test('standard, traced, and logged without what the states carry', () => {
    expect(properties).toMatchObject({
      StateMachineType: 'STANDARD',
      TracingConfiguration: { Enabled: true },
      LoggingConfiguration: { Level: 'ALL', IncludeExecutionData: false },
    });
    template.hasResourceProperties('AWS::Logs::LogGroup', {
      LogGroupName: Match.stringLikeRegexp('^/aws/vendedlogs/states/'),
    });
  });
});

test('the ledger: one table, billed by use, encrypted, backed up, and never deleted as a whole', () => {
  template.resourceCountIs('AWS::DynamoDB::Table', 1);
  template.hasResource('AWS::DynamoDB::Table', {
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      DeletionProtectionEnabled: true,
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: LEDGER_INDEXES.map(({ name, key, sort, attributes }) => ({
        IndexName: name,
        KeySchema: [
          { AttributeName: key, KeyType: 'HASH' },
          ...(sort === undefined ? [] : [{ AttributeName: sort, KeyType: 'RANGE' }]),
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [...attributes] },
      })),
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
      // It removes only what says so of itself: the history, with historyDays, and releases that were taken.
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    },
  });
});

test('the outputs name what people and pipelines call, and begin with the id of the construct', () => {
  const names = [
    ...['EndpointUrl', 'StateMachineArn', 'TableName', 'EventBusName'],
    ...['TriggersQueueUrl', 'JanitorQueueUrl'],
    ...['OpenRollout', 'Look', 'TurnAround', 'CloseRollout', 'Roll', 'Stop'].map(
      (name) => `${name}FunctionName`,
    ),
    ...['List', 'Create', 'Start', 'Janitor', 'Sweep'].map((name) => `${name}FunctionName`),
  ];
  expect(Object.keys(template.findOutputs('*')).toSorted()).toEqual(
    names.map((name) => `Rollouts${name}`).toSorted(),
  );
});

function functionCalled(name: string): Record<string, unknown> {
  return functionOf(`Steps${name}`);
}

function functionOf(path: string): Record<string, unknown> {
  const found = Object.entries(functions).filter(([id]) =>
    id.startsWith(`Rollouts${path}Function`),
  );
  expect(found).toHaveLength(1);
  return found[0]?.[1].Properties ?? {};
}

function functionOfVersion(version: unknown): string {
  const { Ref } = version as { readonly Ref: string };
  const name = resourcesOf('AWS::Lambda::Version')[Ref]?.Properties.FunctionName;
  return (name as { readonly Ref: string }).Ref;
}
