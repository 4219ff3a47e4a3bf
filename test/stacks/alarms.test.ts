import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Template } from 'aws-cdk-lib/assertions';
import { parseConfig } from '../../lib/contract/config.ts';
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

test('alarms wait for data in peace, and none takes more metrics than CloudWatch allows', () => {
  for (const { TreatMissingData, Metrics = [] } of told) {
    expect(TreatMissingData).toBe('notBreaching');
    expect(Metrics.filter(({ MetricStat }) => MetricStat !== undefined).length).toBeLessThan(11);
  }
});

describe('the topic', () => {
  test('is told by every alarm of the stack, those of triggers included', () => {
    expect(told.length).toBeGreaterThan(12);
    const [actions] = new Set(told.map(({ AlarmActions }) => JSON.stringify(AlarmActions)));
    expect(actions).toMatch(/^\[\{"Ref":"RolloutsOnCallNotificationsOwnTopic\w+"\}\]$/);
    expect(told.map(({ AlarmActions }) => JSON.stringify(AlarmActions))).toEqual(
      told.map(() => actions),
    );
  });

  test('may be one of yours', () => {
    const topicArn = 'arn:aws:sns:eu-central-1:123456789012:on-call';
    const base = parseConfig({ ...EVERYTHING, notifications: { topicArn } });
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
  readonly Metrics?: readonly { readonly MetricStat?: object }[];
}

function alarmsOf(stack: ReturnType<typeof createStack>): Alarm[] {
  return Object.values(Template.fromStack(stack).findResources('AWS::CloudWatch::Alarm')).map(
    ({ Properties }) => Properties,
  );
}
