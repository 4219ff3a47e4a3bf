import { describe, expect, test } from '@jest/globals';
import { CfnParameter, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { EndpointRollouts } from '../../lib/constructs/endpoint-rollouts.ts';
import type { EndpointRolloutsProps } from '../../lib/constructs/endpoint-rollouts-props.ts';
import { ALLOWED_ORIGINS, checkLateUrls } from '../../lib/contract/config/allowed-origins.ts';
import { readPolicies } from '../../lib/contract/functions/code-files.ts';
import { fillIn, readFunctionEnv } from '../../lib/contract/functions/environment.ts';
import { createApp } from '../support/create-app.ts';
import { codeFilesOf, resourcesOf, type Statement } from './read-template.ts';

const HERE = 'eu-central-1:123456789012';
const NO_BUNDLES = { 'aws:cdk:bundling-stacks': [] };

/** An app of a customer, in which everything that steproll uses is made in the same app or known at deployment. */
function customersStack(context: object = {}) {
  const stack = new Stack(createApp({ context: { ...NO_BUNDLES, ...context } }), 'Shop');
  const key = new Key(stack, 'Key');
  const topic = new Topic(stack, 'Topic', { masterKey: key });
  const bus = new EventBus(stack, 'Bus');
  const alarm = new Alarm(stack, 'Alarm', {
    metric: new Metric({ namespace: 'Shop', metricName: 'Errors' }),
    threshold: 1,
    evaluationPeriods: 1,
  });
  const smokeTest = new LambdaFunction(stack, 'SmokeTest', {
    code: Code.fromInline('exports.handler = async () => ({ hookStatus: "SUCCEEDED" })'),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
  });
  const props: EndpointRolloutsProps = {
    endpointUrl: StringParameter.valueForStringParameter(stack, '/shop/url'),
    auth: {
      kind: 'client-credentials',
      tokenUrl: new CfnParameter(stack, 'TokenUrl').valueAsString,
      secret: new Secret(stack, 'Credentials', { encryptionKey: key }),
    },
    tls: { ca: Secret.fromSecretNameV2(stack, 'Ca', 'shop/ca') },
    kmsKey: key,
    policies: {
      shop: {
        verify: {
          alarms: [alarm, { name: alarm }],
          checks: [
            { name: 'smoke', lambda: smokeTest },
            {
              name: 'orders',
              url: new CfnParameter(stack, 'CheckUrl').valueAsString,
              secret: new Secret(stack, 'CheckSecret'),
            },
          ],
          prometheus: [
            {
              name: 'errors',
              url: new CfnParameter(stack, 'Prometheus').valueAsString,
              query: 'vector(0)',
              above: 1,
              auth: { kind: 'bearer', secret: new Secret(stack, 'PrometheusToken') },
            },
          ],
        },
      },
    },
    runtimes: { shop: { policy: 'shop' } },
    groups: { prod: { runtimes: ['shop'], policy: { verify: { alarms: [alarm] } } } },
    notifications: { topic },
  };
  const rollouts = new EndpointRollouts(stack, 'Rollouts', props);
  rollouts.onRelease({
    name: 'own-bus',
    bus,
    pattern: { source: ['shop.pipeline'] },
    runtimeId: 'shop',
    version: { path: 'detail.version' },
  });
  return { stack, rollouts, props };
}

const { stack } = customersStack();
const template = Template.fromStack(stack);
/** What each parameter and resource is, once the stack is deployed. */
const DEPLOYED: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'eu-central-1',
  'AWS::AccountId': '123456789012',
  SsmParameterValueshopurl: 'https://endpoints.shop.example/runtime',
  TokenUrl: 'https://login.shop.example/token',
  CheckUrl: 'https://checks.shop.example/orders',
  Prometheus: 'https://prometheus.shop.example',
  'Key.Arn': `arn:aws:kms:${HERE}:key/0aa11bb2-3c4d-5e6f-7a8b-9c0d1e2f3a4b`,
  Credentials: `arn:aws:secretsmanager:${HERE}:secret:Credentials-AbCdEf`,
  CheckSecret: `arn:aws:secretsmanager:${HERE}:secret:CheckSecret-AbCdEf`,
  PrometheusToken: `arn:aws:secretsmanager:${HERE}:secret:PrometheusToken-AbCdEf`,
  Alarm: 'Shop-Alarm7103F465-1Q',
  'SmokeTest.Arn': `arn:aws:lambda:${HERE}:function:Shop-SmokeTest`,
};

describe('what the functions get when everything is known only at deployment', () => {
  test('the service and the network', () => {
    const { service, network } = readFunctionEnv(environmentOf('Steps/roll'), [
      'service',
      'network',
    ]);

    expect(service).toMatchObject({
      endpointUrl: DEPLOYED.SsmParameterValueshopurl,
      auth: {
        tokenUrl: DEPLOYED.TokenUrl,
        secret: { awsSecret: DEPLOYED.Credentials, kmsKey: DEPLOYED['Key.Arn'] },
      },
    });
    expect(network.tls).toEqual({
      ca: { awsSecret: `arn:aws:secretsmanager:${HERE}:secret:shop/ca-??????` },
    });
  });

  test('the policies', () => {
    const { policyOf } = policiesWith(environmentOf('Steps/openRollout'));
    const { verify } = policyOf('shop');

    expect(verify.alarms).toEqual([DEPLOYED.Alarm, { name: DEPLOYED.Alarm }]);
    expect(verify.checks).toMatchObject([
      { lambda: DEPLOYED['SmokeTest.Arn'] },
      { url: DEPLOYED.CheckUrl, secret: { awsSecret: DEPLOYED.CheckSecret } },
    ]);
    expect(verify.prometheus).toMatchObject([
      { url: DEPLOYED.Prometheus, auth: { secret: { awsSecret: DEPLOYED.PrometheusToken } } },
    ]);
    expect(policyOf('group:prod').verify.alarms).toEqual([DEPLOYED.Alarm]);
  });

  test('no file beside the code has a token of the CDK', () => {
    const files = [...codeFilesOf(stack, 'policies.json'), ...codeFilesOf(stack, 'triggers.json')];
    expect(files).toHaveLength(2);
    expect(JSON.stringify(files)).not.toMatch(/Token\[/);
  });
});

describe('a value that turns out to be wrong is refused when a function loads, in the same words', () => {
  const load = (changed: Readonly<Record<string, string>>) => {
    const environment = environmentOf('Steps/openRollout', { ...DEPLOYED, ...changed });
    const { service, network, urls } = readFunctionEnv(environment, ['service', 'network', 'urls']);
    if (urls !== null) checkLateUrls({ service, ...network }, urls);
    policiesWith(environment).policyOf('shop');
  };

  test.each([
    [{}, undefined],
    [{ SsmParameterValueshopurl: 'endpoints.example.com' }, /endpointUrl: .*not a URL/],
    [
      { SsmParameterValueshopurl: 'https://x.example/?a=1' },
      /endpointUrl: .*a query is not allowed/,
    ],
    [{ SsmParameterValueshopurl: 'https://x"}, "y": "z.example' }, /endpointUrl/],
    [{ SsmParameterValueshopurl: 'http://endpoints.example.com' }, /endpointUrl: http is only for/],
    [{ SsmParameterValueshopurl: 'https://10.0.0.7' }, /endpointUrl: .*use https and a host name/],
    [{ TokenUrl: 'http://login.example.com' }, /auth.tokenUrl: http is only for this machine/],
    [
      { CheckUrl: 'http://checks.example.com' },
      /checks\[1\]\.url: .*http is only for this machine/,
    ],
    [{ Credentials: 'shop' }, /secret\.awsSecret: \(hidden\) is not allowed; use the complete ARN/],
    [{ 'SmokeTest.Arn': 'shop' }, /checks\[0\]\.lambda: "shop" is not allowed; use the ARN/],
  ])('%j', (changed, message) => {
    if (message === undefined) expect(() => load(changed)).not.toThrow();
    else expect(() => load(changed)).toThrow(message);
  });

  test('allowed origins hold for a URL that was not known', () => {
    const allowed = {
      [ALLOWED_ORIGINS]: 'https://endpoints.shop.example,https://login.shop.example',
    };
    const { stack: guarded } = customersStack(allowed);
    const environment = environmentOf('Steps/roll', DEPLOYED, guarded);
    const { service, urls } = readFunctionEnv(environment, ['service', 'urls']);
    const check = (endpointUrl: string) =>
      checkLateUrls({ service: { ...service, endpointUrl } as typeof service }, urls ?? {});

    expect(() => check('https://endpoints.shop.example/runtime')).not.toThrow();
    expect(() => check('https://elsewhere.example')).toThrow(
      /endpointUrl: "https:\/\/elsewhere.example" is not allowed; the context "steproll:allowedOrigins" has/,
    );
  });
});

describe('permissions', () => {
  const statementsOf = (role: string): Statement[] =>
    Object.entries(template.findResources('AWS::IAM::Policy')).flatMap(([id, { Properties }]) =>
      id.startsWith(role) ? Properties.PolicyDocument.Statement : [],
    );

  test.each([
    ['RolloutsStepsroll', [{ Ref: expect.stringMatching(/^Credentials/) }]],
    [
      'RolloutsStepslook',
      [
        { Ref: expect.stringMatching(/^Credentials/) },
        { Ref: expect.stringMatching(/^CheckSecret/) },
        { Ref: expect.stringMatching(/^PrometheusToken/) },
      ],
    ],
  ])('%s may read its secrets', (role, secrets) => {
    const read = statementsOf(role).filter(
      ({ Action }) => Action === 'secretsmanager:GetSecretValue',
    );
    const resources = read.map(({ Resource }) => Resource);
    for (const one of secrets) expect(resources).toContainEqual(one);
    expect(JSON.stringify(resources)).toContain(':secret:shop/ca-??????');
  });

  test('the key of a secret may be used through Secrets Manager, for this secret', () => {
    expect(statementsOf('RolloutsStepsroll')).toContainEqual(
      expect.objectContaining({
        Action: 'kms:Decrypt',
        Resource: { 'Fn::GetAtt': [expect.stringMatching(/^Key/), 'Arn'] },
        Condition: expect.objectContaining({
          StringLike: {
            'kms:EncryptionContext:SecretARN': { Ref: expect.stringMatching(/^Credentials/) },
          },
        }),
      }),
    );
  });

  test('a function that checks may be called', () => {
    expect(statementsOf('RolloutsStepslook')).toContainEqual(
      expect.objectContaining({
        Action: 'lambda:InvokeFunction',
        Resource: { 'Fn::GetAtt': [expect.stringMatching(/^SmokeTest/), 'Arn'] },
      }),
    );
  });

  test('the topic takes what alarms publish, its key lets them, and the rule has a role for both', () => {
    const [policy] = Object.values(template.findResources('AWS::SNS::TopicPolicy'));
    const who = policy?.Properties.PolicyDocument.Statement.map(
      ({ Principal }: { Principal: { Service: string } }) => Principal.Service,
    );
    expect(who).toEqual(['cloudwatch.amazonaws.com']);
    const [topicKey] = Object.values(template.findResources('AWS::KMS::Key'));
    const ofServices = topicKey?.Properties.KeyPolicy.Statement.filter(
      ({ Principal }: { Principal: { Service?: unknown } }) => Principal.Service !== undefined,
    );
    expect(JSON.stringify(ofServices)).toContain('cloudwatch.amazonaws.com');
    for (const statement of ofServices) expect(statement).toHaveProperty('Condition');
    template.hasResourceProperties('AWS::Events::Rule', {
      Targets: [Match.objectLike({ InputPath: '$.detail.message', RoleArn: Match.anyValue() })],
    });
  });

  test('the key lets the log groups, the table and the queues use it', () => {
    const [key] = Object.values(template.findResources('AWS::KMS::Key'));
    const sids = key?.Properties.KeyPolicy.Statement.map(({ Sid }: { Sid?: string }) => Sid);
    expect(sids).toEqual(expect.arrayContaining(['Ledger', 'Queues', 'DeadLetters', 'Logs']));
  });
});

test('the rule of a release is on the bus of the app', () => {
  const rules = Object.values(template.findResources('AWS::Events::Rule'));
  const rule = rules.find(({ Properties }) => Properties.Name === 'steproll-from-own-bus');
  expect(rule?.Properties.EventBusName).toEqual({ Ref: expect.stringMatching(/^Bus/) });
});

describe('refused at synthesis', () => {
  const create = (props: (stack: Stack) => object) => () => {
    const other = new Stack(createApp({ context: NO_BUNDLES }), 'Other');
    const base = { endpointUrl: 'https://endpoints.example.com', runtimes: {} };
    new EndpointRollouts(other, 'Rollouts', { ...base, ...props(other) } as never);
    return Template.fromStack(other);
  };
  const parameter = (stack: Stack, type = 'String') => new CfnParameter(stack, 'Given', { type });

  test.each([
    ['name', (stack: Stack) => ({ name: parameter(stack).valueAsString })],
    [
      'policies.default.bakeSeconds',
      (stack: Stack) => ({
        policies: { default: { bakeSeconds: parameter(stack, 'Number').valueAsNumber } },
      }),
    ],
    [
      'notifications.emails',
      (stack: Stack) => ({
        notifications: { emails: parameter(stack, 'CommaDelimitedList').valueAsList },
      }),
    ],
    ['auth.kind', (stack: Stack) => ({ auth: { kind: parameter(stack).valueAsString } })],
  ])('%s has to be known', (place, props) => {
    expect(create(props)).toThrow(`${place}: use a value that is known at synthesis`);
  });

  test('an object where another one belongs', () => {
    const props = (stack: Stack) => ({
      auth: { kind: 'bearer', secret: new Topic(stack, 'T') },
    });
    expect(create(props)).toThrow('auth.secret: this object of the CDK is not possible here');
  });

  test('more than an environment holds', () => {
    const props = (stack: Stack) => ({
      policies: {
        default: {
          verify: {
            alarms: Array.from({ length: 30 }, (_, index) =>
              Alarm.fromAlarmArn(stack, `A${index}`, parameterOf(stack, index)),
            ),
          },
        },
      },
    });
    expect(create(props)).toThrow(
      /the environment of this function has about \d+ bytes, and Lambda takes 4096/,
    );
  });

  test('a value that the CDK has not looked up yet is none', () => {
    const url = (stack: Stack) => StringParameter.valueFromLookup(stack, '/shop/url');
    expect(create((stack) => ({ endpointUrl: url(stack) }))).toThrow(/env/);
    expect(create(() => ({ endpointUrl: 'dummy-value-for-/shop/url' }))).not.toThrow();
  });
});

function parameterOf(stack: Stack, index: number): string {
  return new CfnParameter(stack, `P${index}`).valueAsString;
}

function policiesWith(environment: Readonly<Record<string, string>>) {
  const [file] = codeFilesOf(stack, 'policies.json');
  const { service } = readFunctionEnv(environment, ['service']);
  return readPolicies(JSON.parse(fillIn(JSON.stringify(file), environment)), service);
}

/** The environment of a function as Lambda has it. */
function environmentOf(
  path: string,
  known: Readonly<Record<string, string>> = DEPLOYED,
  of: Stack = stack,
): Record<string, string> {
  const [, lambda] =
    Object.entries(resourcesOf(of)).find(([id]) =>
      id.startsWith(`Rollouts${path.replace('/', '')}Function`),
    ) ?? [];
  if (lambda === undefined) throw new Error(`no function ${path}`);
  const { Variables } = lambda.Properties.Environment as { Variables: Record<string, unknown> };
  return Object.fromEntries(
    Object.entries(Variables).map(([name, value]) => [name, deployed(value, known)]),
  );
}

function deployed(value: unknown, known: Readonly<Record<string, string>>): string {
  if (typeof value === 'string') return value;
  const { Ref, ...functions } = value as { readonly Ref?: string };
  const { 'Fn::GetAtt': attribute, 'Fn::Join': join } = functions as {
    readonly 'Fn::GetAtt'?: [string, string];
    readonly 'Fn::Join'?: [string, unknown[]];
  };
  if (join !== undefined) return join[1].map((part) => deployed(part, known)).join(join[0]);
  const name = attribute?.join('.') ?? Ref ?? '';
  // The CDK adds a hash to the ids of resources, and to those of parameters of SSM.
  const plain = name.replace(/[0-9A-F]{8}(?=\.|$)/, '').replace(/C96584B6.*/, '');
  return known[name] ?? known[plain] ?? name;
}
