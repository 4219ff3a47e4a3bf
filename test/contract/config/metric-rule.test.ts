import { describe, expect, test } from '@jest/globals';
import { parseConfig } from '../../../lib/contract/config/config.ts';
import { policySchema } from '../../../lib/contract/config/policy.ts';
import { parseInput } from '../../../lib/contract/input/parse-input.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';

const METRIC = { namespace: 'Shop', metric: 'Errors', limit: { above: 5 } };

const policyWith = (metric: object, said: object = {}) => ({
  ...DEFAULT_POLICY,
  verify: { metrics: [{ ...METRIC, ...metric }] },
  ...said,
});

function mistakesOf(policy: unknown): string[] {
  try {
    parseInput(policySchema, policy, 'policy');
    return [];
  } catch (error) {
    const [, ...lines] = (error as Error).message.split('\n');
    return lines.map((line) => line.trim().replace(/^verify\.metrics\[0\]\.?/, ''));
  }
}

test('what is left out of a metric is filled in, and no data is no yes', () => {
  const { verify } = parseInput(policySchema, policyWith({ per: { metric: 'All' } }), 'policy');
  expect(verify.metrics).toEqual([
    {
      ...METRIC,
      dimensions: {},
      statistic: 'Sum',
      periodSeconds: 60,
      delaySeconds: 120,
      per: { metric: 'All', statistic: 'Sum', noData: 'wait' },
      noData: 'wait',
    },
  ]);
});

describe('what is refused', () => {
  test.each<[string, object, RegExp]>([
    ['no limit', { limit: {} }, /^limit/],
    ['two limits', { limit: { above: 5, below: 1 } }, /^limit/],
    ['a limit in words', { limit: { above: '5' } }, /^limit/],
    ['a limit without end', { limit: { above: Number.POSITIVE_INFINITY } }, /^limit/],
    ['no name', { metric: '' }, /^metric: /],
    [
      'an unknown statistic',
      { statistic: 'p100' },
      /^statistic: "p100".* Sum, .* or a percentile: p99$/,
    ],
    ['a statistic in small letters', { statistic: 'sum' }, /^statistic: /],
    ['no time', { periodSeconds: 0 }, /^periodSeconds: /],
    ['a minute and a half', { periodSeconds: 90 }, /^periodSeconds: /],
    ['data that come before they are there', { delaySeconds: -1 }, /^delaySeconds: /],
    [
      'an unknown placeholder',
      { dimensions: { Name: 'a-{endpoints}' } },
      /^dimensions.Name: "a-\{endpoints\}".*\{runtime\}, \{runtimeName\}, \{endpoint\}, \{version\}$/,
    ],
    ['an empty dimension', { dimensions: { Name: '' } }, /^dimensions.Name: /],
    [
      'more dimensions than CloudWatch has',
      { dimensions: Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`d${n}`, 'x'])) },
      /^dimensions: .*30 dimensions/,
    ],
    ['an unknown answer', { noData: 'ignore' }, /^noData: /],
    [
      'a rate of averages',
      { statistic: 'Average', per: { metric: 'All' } },
      /^statistic: "Average".* with per, use Sum or SampleCount/,
    ],
    ['a rate over a maximum', { per: { metric: 'All', statistic: 'Maximum' } }, /^per.statistic: /],
    ['C04: an unknown key', { dimension: {} }, /^dimension: /],
  ])('%s', (_, said, mistake) => {
    expect(mistakesOf(policyWith(said))).toEqual([expect.stringMatching(mistake)]);
  });

  test('too many metrics', () => {
    const verify = { metrics: Array(21).fill(METRIC) };
    expect(mistakesOf({ ...DEFAULT_POLICY, verify })).toEqual([
      expect.stringMatching(/^verify.metrics: /),
    ]);
  });
});

describe('a metric that has no whole period before the deadline', () => {
  const waves = [{ endpoints: 1, bakeSeconds: 0 }, { percent: 100 }];

  test.each([
    [{ bakeSeconds: 0, progressDeadlineSeconds: 240 }, {}],
    [{ bakeSeconds: 200, progressDeadlineSeconds: 40 }, {}],
    [{ waves, bakeSeconds: 9_999, progressDeadlineSeconds: 240 }, {}],
    [{}, { periodSeconds: 3_600 }],
    [{}, { delaySeconds: 780 }],
  ])('is refused: %j, %j', (policy, metric) => {
    expect(mistakesOf(policyWith(metric, policy))).toEqual([
      expect.stringMatching(/^periodSeconds: \d+.* progressDeadlineSeconds, \d+, must be longer/),
    ]);
  });

  test.each([
    [{ bakeSeconds: 0, progressDeadlineSeconds: 241 }, {}],
    [{ waves, bakeSeconds: 0, progressDeadlineSeconds: 241 }, {}],
    [{}, { periodSeconds: 300 }],
    [{ bakeSeconds: 7_200 }, { periodSeconds: 3_600 }],
  ])('others are not: %j, %j', (policy, metric) => {
    expect(mistakesOf(policyWith(metric, policy))).toEqual([]);
  });

  test('is found where the runtime with that bake is configured', () => {
    const config = {
      endpointUrl: 'https://endpoints.example.com',
      policies: {
        default: { verify: { metrics: [METRIC] }, progressDeadlineSeconds: 200 },
        shop: { bakeSeconds: 0 },
      },
      runtimes: { shop: { policy: 'shop' }, cart: {} },
    };
    expect(() => parseConfig(config)).toThrow(
      /\n\s*policies\.shop\.verify\.metrics\[0\]\.periodSeconds: [^\n]*$/,
    );
  });
});
