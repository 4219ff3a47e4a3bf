import {
  CloudWatchClient,
  type CompositeAlarm,
  DescribeAlarmsCommand,
  type MetricAlarm,
} from '@aws-sdk/client-cloudwatch';
import { expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { createAlarmReader } from '../../../lib/adapters/gates/alarm.ts';

test.each([
  ['OK', 'pass'],
  ['ALARM', 'fail'],
  ['INSUFFICIENT_DATA', 'unknown'],
] as const)('an alarm in %s is a %s, whichever kind it is', async (state, verdict) => {
  const alarm = { AlarmName: 'errors', StateValue: state };

  expect(await answerTo({ MetricAlarms: [alarm] })).toEqual({ verdict, detail: state });
  expect(await answerTo({ CompositeAlarms: [alarm] })).toEqual({ verdict, detail: state });
});

test('both kinds are asked for, by name', async () => {
  const { client, mock } = mockedClient();
  mock.on(DescribeAlarmsCommand).resolves({});

  await createAlarmReader(client)('errors');

  expect(mock.calls().map(({ args }) => args[0].input)).toEqual([
    { AlarmNames: ['errors'], AlarmTypes: ['MetricAlarm', 'CompositeAlarm'] },
  ]);
});

test.each([
  ['none', {}],
  ['two empty lists', { MetricAlarms: [], CompositeAlarms: [] }],
  ['another one', { MetricAlarms: [{ AlarmName: 'errors-2', StateValue: 'OK' as const }] }],
])('%s is no such alarm', async (_, answer) => {
  expect(await answerTo(answer)).toEqual({
    verdict: 'unknown',
    detail: 'no such alarm in eu-west-1',
    mend: expect.stringContaining('Create it there'),
  });
});

test('an error of AWS is unknown, and known by its name', async () => {
  const { client, mock } = mockedClient();
  const error = Object.assign(new Error('arn:aws:iam::111122223333:role/x may not'), {
    name: 'AccessDenied',
  });
  mock.on(DescribeAlarmsCommand).rejects(error);

  expect(await createAlarmReader(client)('errors')).toEqual({
    verdict: 'unknown',
    detail: 'AccessDenied',
    mend: expect.stringContaining('permission'),
    mayPass: true,
  });
});

test.each(['ThrottlingException', 'TimeoutError'])(
  'nobody has to mend anything after %s',
  async (name) => {
    const { client, mock } = mockedClient();
    mock.on(DescribeAlarmsCommand).rejects(Object.assign(new Error('again'), { name }));

    expect(await createAlarmReader(client)('errors')).toEqual({ verdict: 'unknown', detail: name });
  },
);

test('a machine without a region says so', async () => {
  const client = new CloudWatchClient({
    credentials: { accessKeyId: 'id', secretAccessKey: 'key' },
    region: () => Promise.reject<string>(new Error('Region is missing')),
  });

  expect(await createAlarmReader(client)('errors')).toEqual({
    verdict: 'unknown',
    detail: 'Region is missing',
    mend: expect.stringContaining('AWS_REGION'),
  });
});

function answerTo(answer: { MetricAlarms?: MetricAlarm[]; CompositeAlarms?: CompositeAlarm[] }) {
  const { client, mock } = mockedClient();
  mock.on(DescribeAlarmsCommand).resolves(answer);
  return createAlarmReader(client)('errors');
}

function mockedClient() {
  const client = new CloudWatchClient({ region: 'eu-west-1' });
  return { client, mock: mockClient(client) };
}
