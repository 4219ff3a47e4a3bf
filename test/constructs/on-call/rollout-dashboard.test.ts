import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Template } from 'aws-cdk-lib/assertions';
import { FUNCTION_METRICS } from '../../../lib/contract/functions/metrics.ts';
import { LEDGER_INDEXES } from '../../../lib/contract/ledger/table.ts';
import { WORKFLOW_FUNCTIONS } from '../../../lib/workflow/functions.ts';
import { createStack } from '../create-stack.ts';
import { EVERYTHING } from '../everything.ts';

interface Widget {
  readonly type: string;
  readonly properties: {
    readonly title?: string;
    readonly markdown?: string;
    readonly alarms?: readonly string[];
    readonly query?: string;
    /** Namespace, name, then names and values of dimensions; or an expression. */
    readonly metrics?: readonly (string | { readonly expression?: string })[][];
  };
}

const template = Template.fromStack(createStack({ base: EVERYTHING }));
const widgets = widgetsOf(template);
const rows = widgets.flatMap(({ properties: { metrics = [] } }) => metrics);

const TYPE_OF_DIMENSION: Readonly<Record<string, string>> = {
  StateMachineArn: 'AWS::StepFunctions::StateMachine',
  FunctionName: 'AWS::Lambda::Function',
  QueueName: 'AWS::SQS::Queue',
  TableName: 'AWS::DynamoDB::Table',
};

test('it is named after deployment and region', () => {
  template.hasResourceProperties('AWS::CloudWatch::Dashboard', {
    DashboardName: { 'Fn::Join': ['', ['steproll-', { Ref: 'AWS::Region' }]] },
  });
});

describe('metrics', () => {
  const ofAws = rows.filter(([namespace]) => String(namespace).startsWith('AWS/'));
  const expressions = rows.flatMap(([first]) =>
    typeof first === 'object' && first.expression !== undefined ? [first.expression] : [],
  );

  test('are those of AWS and our own, and no others', () => {
    expect(ofAws.length + expressions.length).toBe(rows.length);
  });

  test('of AWS are of resources that the template has', () => {
    const indexes = LEDGER_INDEXES.map(({ name }) => name);
    for (const [, , ...dimensions] of ofAws) {
      const strings = dimensions.filter((one) => typeof one === 'string');
      for (let at = 0; at < strings.length; at += 2) {
        const [name = '', value] = strings.slice(at);
        const isIndex = name === 'GlobalSecondaryIndexName';
        expect(isIndex ? indexes : idsOf(TYPE_OF_DIMENSION[name] ?? '')).toContain(value);
      }
    }
  });

  test('cover every function and every dead-letter queue', () => {
    const shown = new Set(ofAws.map(([, , , resource]) => resource));
    for (const type of ['AWS::Lambda::Function', 'AWS::SQS::Queue']) {
      for (const id of idsOf(type)) expect(shown).toContain(id);
    }
  });

  test('of our own are those that the functions count', () => {
    const { namespace, calls, errors, rows: written } = FUNCTION_METRICS;
    expect(expressions.toSorted()).toEqual(
      [calls, errors, written]
        .map(({ name, dimensions }) => `{${[namespace, ...dimensions]}} MetricName="${name}"`)
        .map((search) => `SEARCH('${search}', 'Sum', 300)`)
        .toSorted(),
    );
  });
});

test('every alarm of the stack is on it, those of triggers included', () => {
  const [alarms = []] = widgets
    .flatMap(({ properties }) => properties.alarms ?? [])
    .map((a) => [a]);
  expect(alarms).not.toEqual([]);
  const shown = widgets.flatMap(({ properties }) => properties.alarms ?? []);
  expect(shown.toSorted()).toEqual(idsOf('AWS::CloudWatch::Alarm').toSorted());
});

test('failed steps are looked for in the logs of every step', () => {
  const [query = ''] = widgets.flatMap(({ properties }) => properties.query ?? []);
  const logs = idsOf('AWS::Logs::LogGroup').filter((id) => id.startsWith('RolloutsSteps'));
  expect(logs).toHaveLength(WORKFLOW_FUNCTIONS.length);
  for (const id of logs) expect(query).toContain(`SOURCE '${id}'`);
  expect(query).toContain('filter outcome = "failed"');
});

test('its text names graphs that are there, and a file that is there', () => {
  const [text = ''] = widgets.flatMap(({ properties }) => properties.markdown ?? []);
  const titles = widgets.flatMap(({ properties }) => properties.title ?? []);
  expect(titles).toContain('Failed steps');
  expect(text).toContain('*Failed steps*');
  for (const [file] of text.matchAll(/docs\/\w+\.md/g)) {
    expect(readFileSync(file, 'utf8')).not.toBe('');
  }
});

test('without notifications it shows two queues, and with them three', () => {
  const queuesOn = (of: Template) =>
    widgetsOf(of)
      .flatMap(({ properties: { metrics = [] } }) => metrics)
      .filter(([, name]) => name === 'ApproximateAgeOfOldestMessage').length;
  expect(queuesOn(template)).toBe(3);
  expect(queuesOn(Template.fromStack(createStack()))).toBe(2);
});

function idsOf(type: string): string[] {
  return Object.keys(template.findResources(type));
}

interface Joined {
  readonly 'Fn::Join': readonly [
    string,
    readonly (string | { readonly Ref?: string; readonly 'Fn::GetAtt'?: readonly string[] })[],
  ];
}

/** What the dashboard holds, with the ids of resources in place of their names. */
function widgetsOf(of: Template): readonly Widget[] {
  const bodies = Object.values(of.findResources('AWS::CloudWatch::Dashboard')).map(
    ({ Properties }) => Properties.DashboardBody as Joined,
  );
  return bodies.flatMap(({ 'Fn::Join': [, parts] }) => {
    const text = parts.map((part) =>
      typeof part === 'string' ? part : (part.Ref ?? part['Fn::GetAtt']?.[0]),
    );
    return JSON.parse(text.join('')).widgets;
  });
}
