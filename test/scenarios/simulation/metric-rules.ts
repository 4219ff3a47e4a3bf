import type { MetricRule } from '../../../lib/gates/metric-rule.ts';

const RULE: MetricRule = {
  namespace: 'Shop',
  metric: 'Errors',
  dimensions: { Runtime: '{runtime}', Version: '{version}', Name: '{endpoint}' },
  statistic: 'Sum',
  periodSeconds: 60,
  delaySeconds: 60,
  per: null,
  limit: { above: 5 },
  noData: 'wait',
};

const PER_CALLS = { metric: 'Calls', statistic: 'Sum', noData: 'wait' } as const;
const WHOLE = { Runtime: '{runtime}' };

/** What is divided by something that may have no data either. */
export const SHARES: readonly [MetricRule, ...MetricRule[]] = [
  { ...RULE, per: PER_CALLS, limit: { above: 0.01 } },
  { ...RULE, per: { ...PER_CALLS, noData: 'pass' }, limit: { above: 0.01 }, dimensions: WHOLE },
  { ...RULE, per: { ...PER_CALLS, noData: 'fail' }, limit: { above: 0.01 }, noData: 'pass' },
];

/** What a metric can be asked for: the limits are between what is good and what is bad. */
export const RULES: readonly [MetricRule, ...MetricRule[]] = [
  RULE,
  { ...RULE, noData: 'pass', delaySeconds: 0 },
  { ...RULE, noData: 'fail', periodSeconds: 120 },
  // It is never more than that.
  { ...RULE, limit: { above: 30 }, statistic: 'Maximum' },
  ...SHARES,
  { ...RULE, metric: 'Latency', statistic: 'Average', limit: { above: 1.1 } },
  { ...RULE, metric: 'Latency', statistic: 'Maximum', limit: { above: 2 }, dimensions: WHOLE },
  { ...RULE, metric: 'Latency', statistic: 'p99', limit: { above: 2 } },
  { ...RULE, metric: 'Health', statistic: 'Minimum', limit: { below: 1 } },
  { ...RULE, metric: 'Health', statistic: 'p50', limit: { below: 1 }, noData: 'pass' },
  { ...RULE, metric: 'Calls', statistic: 'SampleCount', limit: { below: 1 }, noData: 'fail' },
];
