import {
  CloudWatchClient,
  GetMetricDataCommand,
  type GetMetricDataCommandInput,
  type GetMetricDataCommandOutput,
} from '@aws-sdk/client-cloudwatch';
import { describe, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { createMetricReader } from '../../../lib/adapters/gates/metrics.ts';
import type { MetricQuestion } from '../../../lib/gates/metric-rule.ts';
import { metricRule } from '../../domain/examples.ts';

const FROM = Date.parse('2026-11-22T10:05:00Z');
const TO = FROM + 180_000;

function about(endpoint: string, said: Partial<MetricQuestion['rule']> = {}): MetricQuestion {
  return {
    rule: metricRule({ dimensions: { Region: 'eu', Name: endpoint }, ...said }),
    endpoint,
    from: FROM,
    to: TO,
    hasBaked: true,
  };
}

const per = { metric: 'Requests', statistic: 'SampleCount', noData: 'wait' } as const;

test('asks for the whole time with all dimensions, and compares what it gets', async () => {
  const { read, asked } = cloudWatch({ 'Errors web-1': [2, 4], 'Errors web-2': [5] });

  const answers = await read([about('web-1'), about('web-2')]);

  expect(answers.map(({ verdict }) => verdict)).toEqual(['fail', 'pass']);
  expect(asked).toEqual([
    {
      StartTime: new Date(FROM),
      EndTime: new Date(TO),
      MetricDataQueries: ['web-1', 'web-2'].map((name, index) => ({
        Id: `q${index}`,
        MetricStat: {
          Metric: {
            Namespace: 'Shop',
            MetricName: 'Errors',
            Dimensions: [
              { Name: 'Region', Value: 'eu' },
              { Name: 'Name', Value: name },
            ],
          },
          Period: 60,
          Stat: 'Sum',
        },
      })),
    },
  ]);
});

test('a metric that CloudWatch has never heard of has no data', async () => {
  const { read } = cloudWatch({});
  expect(await read([about('web-1')])).toMatchObject([
    { verdict: 'unknown', detail: expect.stringMatching(/^no data in 3 min/) },
  ]);
});

test('rates that share a divisor read it once', async () => {
  const { read, asked } = cloudWatch({ 'Errors web-1': [1], 'Requests web-1': [100] });

  const answers = await read([
    about('web-1', { per, limit: { above: 0.02 } }),
    about('web-1', { per, limit: { above: 0.001 } }),
    about('web-1', { per, metric: 'Throttles', noData: 'pass' }),
  ]);

  expect(answers.map(({ verdict }) => verdict)).toEqual(['pass', 'fail', 'pass']);
  expect(statsOf(asked)).toEqual(['Errors Sum', 'Requests SampleCount', 'Throttles Sum']);
});

test('500 are asked at once, and each answer is that of its question', async () => {
  const names = Array.from({ length: 1_201 }, (_, index) => `web-${index}`);
  const { read, asked } = cloudWatch(
    Object.fromEntries(names.map((name, index) => [`Errors ${name}`, [index]])),
  );

  const answers = await read(names.map((name) => about(name)));

  expect(asked.map(({ MetricDataQueries }) => MetricDataQueries?.length).toSorted()).toEqual([
    201, 500, 500,
  ]);
  expect(answers.map(({ detail }) => Number.parseFloat(detail))).toEqual(
    names.map((_, index) => index),
  );
});

test('each time is asked by itself', async () => {
  const { read, asked } = cloudWatch({ 'Errors web-1': [1] });

  await read([about('web-1'), { ...about('web-1'), to: TO + 60_000 }]);

  expect(asked.map(({ EndTime }) => EndTime?.getTime()).toSorted()).toEqual([TO, TO + 60_000]);
});

describe('an answer in pages', () => {
  const page = (values: number[], status: 'Complete' | 'PartialData', next?: string) => ({
    MetricDataResults: [{ Id: 'q0', Values: values, StatusCode: status }],
    ...(next !== undefined && { NextToken: next }),
  });

  test('is read to its end', async () => {
    const { read, mock } = mocked();
    mock
      .on(GetMetricDataCommand)
      .resolvesOnce(page([1, 2], 'PartialData', 'more'))
      .resolvesOnce(page([4], 'Complete'));

    expect(await read([about('web-1')])).toMatchObject([
      { verdict: 'fail', detail: expect.stringMatching(/^7 in/) },
    ]);
  });

  test.each([
    ['ends in the middle', [page([9], 'PartialData')]],
    ['goes round in circles', [page([9], 'PartialData', 'a'), page([9], 'PartialData', 'a')]],
    ['has an error', [{ MetricDataResults: [{ Id: 'q0', StatusCode: 'InternalError' as const }] }]],
    ['has no such result', [{ MetricDataResults: [] }]],
    ['is empty', [{}]],
  ])('that %s is no answer', async (_, pages) => {
    const { read, mock } = mocked();
    const behaviour = mock.on(GetMetricDataCommand);
    for (const one of pages) behaviour.resolvesOnce(one);

    expect(await read([about('web-1', { noData: 'pass' })])).toEqual([
      { verdict: 'unknown', detail: 'CloudWatch did not find all data' },
    ]);
  });
});

describe('an error of AWS', () => {
  test.each(['AccessDenied', 'AccessDeniedException'])(
    'that somebody has to mend says so: %s',
    async (name) => {
      const mend = expect.stringContaining('permission');
      const said = { verdict: 'unknown', detail: name, mend, mayPass: true };
      expect(await afterError(name)).toEqual([said]);
    },
  );

  test.each(['ThrottlingException', 'TimeoutError', 'InternalServiceFault'])(
    'that may pass is no answer, even where no data would be a yes: %s',
    async (name) => {
      expect(await afterError(name)).toEqual([{ verdict: 'unknown', detail: name }]);
    },
  );

  async function afterError(name: string) {
    const { read, mock } = mocked();
    mock.on(GetMetricDataCommand).rejects(Object.assign(new Error('no'), { name }));
    return read([about('web-1', { noData: 'pass' })]);
  }

  test('ends the reading: a throttle is not made worse', async () => {
    const { read, mock } = mocked();
    mock
      .on(GetMetricDataCommand)
      .rejects(Object.assign(new Error('slow down'), { name: 'ThrottlingException' }));

    const names = Array.from({ length: 10_000 }, (_, index) => `web-${index}`);
    const answers = await read(names.map((name) => about(name)));

    expect(new Set(answers.map(({ detail }) => detail))).toEqual(new Set(['ThrottlingException']));
    expect(mock.calls().length).toBeLessThanOrEqual(4);
  });

  test('a machine without a region says so', async () => {
    const client = new CloudWatchClient({
      credentials: { accessKeyId: 'id', secretAccessKey: 'key' },
      region: () => Promise.reject<string>(new Error('Region is missing')),
    });

    expect(await createMetricReader(client)([about('web-1')])).toEqual([
      {
        verdict: 'unknown',
        detail: 'Region is missing',
        mend: expect.stringContaining('AWS_REGION'),
      },
    ]);
  });
});

function mocked() {
  const client = new CloudWatchClient({ region: 'eu-west-1' });
  return { mock: mockClient(client), read: createMetricReader(client) };
}

/** A CloudWatch that has these values, by the name of the metric and of its endpoint. */
function cloudWatch(values: Readonly<Record<string, number[]>>) {
  const { read, mock } = mocked();
  const asked: GetMetricDataCommandInput[] = [];
  mock.on(GetMetricDataCommand).callsFake((input: GetMetricDataCommandInput) => {
    asked.push(input);
    const MetricDataResults = input.MetricDataQueries?.map(({ Id, MetricStat }) => {
      const { MetricName, Dimensions = [] } = MetricStat?.Metric ?? {};
      const name = Dimensions.find((one) => one.Name === 'Name')?.Value;
      return { Id, StatusCode: 'Complete', Values: values[`${MetricName} ${name}`] ?? [] };
    });
    return { MetricDataResults } as GetMetricDataCommandOutput;
  });
  return { read, asked };
}

function statsOf(asked: readonly GetMetricDataCommandInput[]): string[] {
  return asked.flatMap(
    ({ MetricDataQueries = [] }) =>
      MetricDataQueries.map(
        ({ MetricStat }) => `${MetricStat?.Metric?.MetricName} ${MetricStat?.Stat}`,
      ) ?? [],
  );
}
