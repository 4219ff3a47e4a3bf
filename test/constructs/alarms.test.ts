import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Template } from 'aws-cdk-lib/assertions';
import { createStack } from './create-stack.ts';
import { EVERYTHING } from './everything.ts';

const told = alarmsOf(createStack({ base: EVERYTHING }));

test.each([...new Set(told.map(({ AlarmDescription }) => AlarmDescription))])(
  'there is help for: %s',
  (description) => {
    const [, file = '', section] = /: (docs\/runbook\.md), "(.+)"$/.exec(description) ?? [];
    const headings = readFileSync(file, 'utf8').matchAll(/^## (.+)$/gm);
    expect([...headings].map(([, heading]) => heading)).toContain(section);
  },
);

/** Of all things only the sweep is missed when it does not happen. */
const isOfSilence = ({ AlarmDescription }: Alarm) => AlarmDescription.startsWith('The sweep');
const ofCounts = told.filter((alarm) => !isOfSilence(alarm));

test('alarms wait for data in peace, and none takes more metrics than CloudWatch allows', () => {
  expect(ofCounts.length).toBe(told.length - 1);
  for (const alarm of ofCounts) {
    expect(alarm.TreatMissingData).toBe('notBreaching');
    expect(metricsOf(alarm)).toBeLessThan(11);
  }
});

test('what is counted up to a quarter of an hour late rings, whatever was counted since', () => {
  for (const alarm of ofCounts) {
    const { DatapointsToAlarm, EvaluationPeriods, Period, Metrics = [] } = alarm;
    const periods = Metrics.flatMap(({ MetricStat }) => MetricStat?.Period ?? []);
    const [seconds = Period, ...others] = new Set(periods);
    expect(others).toEqual([]);
    expect([DatapointsToAlarm, EvaluationPeriods * Number(seconds)]).toEqual([1, 15 * 60]);
    // It would pass for data that is still to come.
    expect(JSON.stringify(Metrics)).not.toContain('FILL');
  }
});

describe('the topic', () => {
  test('is told by every alarm of the stack, those of triggers included', () => {
    expect(told.length).toBeGreaterThan(12);
    const [actions] = new Set(told.map(({ AlarmActions }) => JSON.stringify(AlarmActions)));
    expect(actions).toMatch(
      /^\[\{"Ref":"RolloutsOnCallNotificationsOwnTopic\w+"\},\{"Ref":"RolloutsOnCallNotificationsOwnChatTopic\w+"\}\]$/,
    );
    expect(told.map(({ AlarmActions }) => JSON.stringify(AlarmActions))).toEqual(
      told.map(() => actions),
    );
  });

  test('may be one of yours', () => {
    const topicArn = 'arn:aws:sns:eu-central-1:123456789012:on-call';
    const base = { ...EVERYTHING, notifications: { topicArn } };
    for (const { AlarmActions } of alarmsOf(createStack({ base }))) {
      expect(AlarmActions).toEqual([topicArn]);
    }
  });

  test('is told nothing where nobody asked for notifications', () => {
    for (const { AlarmActions } of alarmsOf(createStack())) expect(AlarmActions).toBeUndefined();
  });
});

interface Alarm {
  readonly AlarmDescription: string;
  readonly AlarmActions?: readonly unknown[];
  readonly TreatMissingData: string;
  readonly DatapointsToAlarm: number;
  readonly EvaluationPeriods: number;
  /** Only in an alarm on one metric. */
  readonly Period?: number;
  /** Only in an alarm on several metrics, with the expressions over them. */
  readonly Metrics?: readonly { readonly MetricStat?: { readonly Period: number } }[];
}

function metricsOf({ Metrics }: Alarm): number {
  return Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1;
}

function alarmsOf(stack: ReturnType<typeof createStack>): Alarm[] {
  return Object.values(Template.fromStack(stack).findResources('AWS::CloudWatch::Alarm')).map(
    ({ Properties }) => Properties,
  );
}
