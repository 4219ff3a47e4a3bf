import { describe, expect, test } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { EndpointRollouts } from '../../lib/constructs/endpoint-rollouts.ts';
import type { EndpointRolloutsProps } from '../../lib/constructs/endpoint-rollouts-props.ts';
import { readTriggers, TRIGGERS_FILE } from '../../lib/contract/functions/code-files.ts';
import { documentedPolicy } from '../docs/documented-policy.ts';
import { createApp } from '../support/create-app.ts';
import type { Statement } from '../support/iam.ts';
import { codeFilesOf } from './read-template.ts';

const PROPS = { endpointUrl: 'https://endpoints.example.com', runtimes: { shop: {} } };
const RELEASE = {
  name: 'built',
  pattern: { source: ['com.example.ci'] },
  runtimeId: 'shop',
  version: { path: 'detail.number' },
};
const SCHEDULE = { name: 'nightly', runtimeId: 'shop', cron: '0 3 * * ? *', version: 3 };

describe('two constructs of one app', () => {
  const both = (other: EndpointRolloutsProps) => {
    const stack = createStack();
    for (const [id, props] of [['A', PROPS] as const, ['B', other] as const]) {
      new EndpointRollouts(stack, id, props);
    }
  };

  test('may not roll one runtime of one service', () => {
    const other = {
      ...PROPS,
      name: 'second',
      runtimes: { shop: {}, web: {} },
    };
    expect(() => both(other)).toThrow(/runtimes\.shop: Stack\/A rolls it already/);
  });

  test('may roll other runtimes of it, or the same ones of another service', () => {
    const name = 'second';
    both({ ...PROPS, name, runtimes: { web: {} } });
    both({ ...PROPS, name, endpointUrl: 'https://other.example.com' });
  });
});

describe('onRelease', () => {
  test('adds a rule, also after the construct was made, and the start function knows the release', () => {
    const rollouts = createRollouts({ ...PROPS, triggers: { releases: [RELEASE] } });
    rollouts.onRelease({ ...RELEASE, name: 'pushed', bus: 'default' });
    const template = templateOf(rollouts);
    expect(ruleNames(template)).toEqual(
      expect.arrayContaining(['steproll-from-built', 'steproll-from-pushed']),
    );
    expect(triggersOf(rollouts).releases.map(({ name }) => name)).toEqual(['built', 'pushed']);
  });

  test('refuses a runtime that the construct does not know', () => {
    const rollouts = createRollouts(PROPS);
    expect(() => rollouts.onRelease({ ...RELEASE, runtimeId: 'other' })).toThrow(
      'triggers.releases[0].runtimeId: "other" is not allowed; use the id of a runtime that has an entry in runtimes',
    );
  });

  test('tells every mistake at once', () => {
    const rollouts = createRollouts(PROPS);
    const wrong = { name: 'a b', pattern: {}, runtimeId: 'shop' };
    expect(() => rollouts.onRelease(wrong)).toThrow(
      /^Invalid configuration, 3 mistakes:\n.*name.*\n.*pattern\.source.*\n.*version/,
    );
  });

  test('refuses a name that is taken', () => {
    const rollouts = createRollouts({ ...PROPS, triggers: { releases: [RELEASE] } });
    expect(() => rollouts.onRelease(RELEASE)).toThrow('use each name once');
  });

  test('takes more mappings than an environment holds', () => {
    const rollouts = createRollouts(PROPS);
    for (let index = 0; index < 20; index++) {
      const path = `detail.${'k'.repeat(200)}`;
      rollouts.onRelease({ ...RELEASE, name: `release-${index}`, version: { path } });
    }
    expect(triggersOf(rollouts).releases).toHaveLength(20);
  });
});

describe('onSchedule', () => {
  test('adds a rule, or a schedule where that is needed', () => {
    const rollouts = createRollouts({ ...PROPS, triggers: { schedules: [SCHEDULE] } });
    rollouts.onSchedule({ ...SCHEDULE, name: 'berlin', timeZone: 'Europe/Berlin' });
    rollouts.onSchedule({ name: 'hourly', runtimeId: 'shop', rate: '1 hour', version: 3 });
    const template = templateOf(rollouts);
    expect(ruleNames(template)).toEqual(
      expect.arrayContaining(['steproll-schedule-nightly', 'steproll-schedule-hourly']),
    );
    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpressionTimezone: 'Europe/Berlin',
    });
  });

  test.each([
    [
      'an unknown runtime',
      { ...SCHEDULE, runtimeId: 'other' },
      /schedules\[1\]\.runtimeId: "other" is not allowed/,
    ],
    [
      'a name that is taken',
      SCHEDULE,
      /schedules\[1\]\.name: "nightly" is not allowed; use each name once/,
    ],
    ['a broken cron', { ...SCHEDULE, name: 'x', cron: '0 3 * *' }, /schedules\[1\]\.cron/],
  ])('refuses %s', (_, schedule, message) => {
    const rollouts = createRollouts({ ...PROPS, triggers: { schedules: [SCHEDULE] } });
    expect(() => rollouts.onSchedule(schedule)).toThrow(message);
  });

  test('refuses the one after the twentieth', () => {
    const rollouts = createRollouts(PROPS);
    const add = (index: number) => rollouts.onSchedule({ ...SCHEDULE, name: `nightly-${index}` });
    for (let index = 1; index <= 20; index++) add(index);
    expect(() => add(21)).toThrow(/triggers\.schedules: .*20/);
  });
});

describe('two in one stack', () => {
  const stack = createStack();
  new EndpointRollouts(stack, 'Shop', PROPS);
  const endpointUrl = 'https://search.example.com';
  const other = new EndpointRollouts(stack, 'Search', { ...PROPS, endpointUrl, name: 'search' });
  other.onRelease(RELEASE);
  const template = Template.fromStack(stack);

  test('have buses and rules of their own', () => {
    expect(namesOf(template, 'AWS::Events::EventBus')).toEqual(['steproll', 'search']);
    const named = ruleNames(template);
    expect(new Set(named).size).toBe(named.length);
    expect(named).toEqual(
      expect.arrayContaining([
        'steproll-release-published',
        'search-release-published',
        'search-from-built',
      ]),
    );
  });

  test('have dead letters of their own rules', () => {
    for (const name of ['steproll', 'search']) {
      const rules = template.findResources('AWS::Events::Rule', {
        Properties: { Name: Match.stringLikeRegexp(`^${name}-`) },
      });
      const ruleArns = Object.keys(rules).map((id) => ({ 'Fn::GetAtt': [id, 'Arn'] }));
      expect(ruleArns.length).toBeGreaterThan(0);
      template.hasResourceProperties('AWS::SQS::QueuePolicy', {
        PolicyDocument: {
          Statement: Match.arrayWith([
            Match.objectLike({
              Condition: { ArnEquals: { 'aws:SourceArn': ruleArns } },
            }),
          ]),
        },
      });
    }
  });
});

test('the longest names make a rule that EventBridge takes', () => {
  const rollouts = createRollouts({ ...PROPS, name: 'n'.repeat(32) });
  rollouts.onRelease({ ...RELEASE, name: 'r'.repeat(40) });
  rollouts.onSchedule({ ...SCHEDULE, name: 's'.repeat(40) });
  for (const name of ruleNames(templateOf(rollouts))) {
    expect(name).toMatch(/^[\w-]{1,64}$/);
  }
});

test.each(['', 'default', 'n'.repeat(33), 'a.b', '-a'])('the name %j is refused', (name) => {
  expect(() => createRollouts({ ...PROPS, name })).toThrow(/name: .* is not allowed/);
});

test('every mistake in the props is told at once, before anything is built', () => {
  const wrong = { endpointUrl: 'http://example.com', name: 'a b', polcy: {} };
  expect(() => createRollouts(wrong)).toThrow(
    /3 mistakes:\n.*name: .*\n.*endpointUrl: .*\n.*polcy: unknown key/,
  );
});

test('all that the wire can say stands in the props, and goes to the functions', () => {
  const rollouts = createRollouts({ ...PROPS, wire: { laterStatuses: [409, 460] } });
  const wire = Match.serializedJson(
    Match.objectLike({ wire: Match.objectLike({ laterStatuses: [409, 460] }) }),
  );
  templateOf(rollouts).hasResourceProperties('AWS::Lambda::Function', {
    Environment: { Variables: Match.objectLike({ SERVICE: wire }) },
  });
});

test('grantRelease lets a role announce releases and nothing else', () => {
  const rollouts = createRollouts(PROPS);
  const role = new Role(Stack.of(rollouts), 'Pipeline', {
    assumedBy: new ServicePrincipal('codebuild.amazonaws.com'),
  });
  rollouts.grantRelease(role).assertSuccess();
  templateOf(rollouts).hasResourceProperties('AWS::IAM::Policy', {
    Roles: [{ Ref: Match.stringLikeRegexp('^Pipeline') }],
    PolicyDocument: {
      Statement: [
        {
          Effect: 'Allow',
          Action: 'events:PutEvents',
          Resource: { 'Fn::GetAtt': [Match.stringLikeRegexp('^RolloutsReleasesBus'), 'Arn'] },
          Condition: {
            StringEquals: {
              'events:source': 'steproll.release',
              'events:detail-type': 'Release Published',
            },
          },
        },
      ],
    },
  });
});

test('grantApprove lets a role write its own answers, and nothing else', () => {
  const rollouts = createRollouts(PROPS);
  const role = new Role(Stack.of(rollouts), 'Approvers', {
    assumedBy: new ServicePrincipal('codebuild.amazonaws.com'),
  });
  rollouts.grantApprove(role).assertSuccess();
  const [policy] = Object.values(
    templateOf(rollouts).findResources('AWS::IAM::Policy', {
      Properties: { Roles: [{ Ref: Match.stringLikeRegexp('^Approvers') }] },
    }),
  );
  const READS = /^(cloudformation:Describe|dynamodb:(Get|BatchGet|Query|ConditionCheck))/;
  const statements: { Action: string | string[]; Condition?: unknown }[] =
    policy?.Properties.PolicyDocument.Statement;
  const writes = statements.filter(
    ({ Action }) => ![Action].flat().every((one) => READS.test(one)),
  );
  const { statements: documented } = documentedPolicy('permissions.md', 'Who may approve');
  const isWrite = ({ Action }: Pick<Statement, 'Action'>) => Action === 'dynamodb:UpdateItem';
  const conditions = documented.filter(isWrite).map(({ Condition }) => Condition);
  expect(conditions).toHaveLength(2);
  expect(writes.map(({ Action }) => Action)).toEqual(conditions.map(() => 'dynamodb:UpdateItem'));
  expect(writes.map(({ Condition }) => Condition)).toEqual(conditions);
});

function createStack(): Stack {
  return new Stack(createApp({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Stack');
}

function createRollouts(props: EndpointRolloutsProps): EndpointRollouts {
  return new EndpointRollouts(createStack(), 'Rollouts', props);
}

function templateOf(rollouts: EndpointRollouts): Template {
  return Template.fromStack(Stack.of(rollouts));
}

function namesOf(template: Template, type: string): unknown[] {
  return Object.values(template.findResources(type)).map(({ Properties }) => Properties.Name);
}

/** The janitor's rules have none of their own. */
function ruleNames(template: Template): unknown[] {
  return namesOf(template, 'AWS::Events::Rule').filter((name) => name !== undefined);
}

function triggersOf(rollouts: EndpointRollouts) {
  const files = codeFilesOf(Stack.of(rollouts), TRIGGERS_FILE);
  expect(files).toHaveLength(1);
  return readTriggers(files[0]);
}
