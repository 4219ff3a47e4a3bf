import type { Instant } from '../clock.ts';
import type { GateReading } from '../rollout/gates.ts';
import type { MetricRule, NoData } from '../rollout/policy.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';

/** One metric of one endpoint, or of the whole wave, over a time. */
export interface MetricQuestion {
  /** Its dimensions have no placeholders any more. */
  readonly rule: MetricRule;
  /** `null`: the metric is not about a single endpoint. */
  readonly endpoint: string | null;
  /** The start of the first period. */
  readonly from: Instant;
  /** The end of the last period. When it is not after `from`, there is none yet. */
  readonly to: Instant;
}

/** The placeholders in the dimensions of a metric. */
export const METRIC_PLACEHOLDERS = ['{runtime}', '{runtimeName}', '{endpoint}', '{version}'];

/**
 * When a wave has converged, as metrics are asked for it. What was written down then says it, and not how long the wave
 * was watched since then, because time in which nobody watched does not count. Only when the clock was ahead then, it is
 * later than the wave was watched.
 */
export function convergedAt({ converged, clock }: WaveProgress): Instant {
  const { at, watched } = converged ?? clock;
  return Math.min(at, clock.at - (clock.watched - watched));
}

/**
 * What has to be asked about a metric.
 *
 * @param endpoints Names of the endpoints. They are asked about one by one when a dimension names `{endpoint}`.
 * @param since When the wave has converged.
 */
export function questionsAbout(
  rule: MetricRule,
  { runtimeId, desiredVersion }: Pick<RolloutRecord['request'], 'runtimeId' | 'desiredVersion'>,
  endpoints: readonly string[],
  since: Instant,
  now: Instant,
): MetricQuestion[] {
  const periodMs = rule.periodSeconds * 1000;
  const from = Math.ceil(since / periodMs) * periodMs;
  const to = Math.floor((now - rule.delaySeconds * 1000) / periodMs) * periodMs;
  const isOfEach = Object.values(rule.dimensions).some((value) => value.includes('{endpoint}'));
  return (isOfEach ? endpoints : [null]).map((endpoint) => {
    const values: Readonly<Record<string, string | null>> = {
      '{runtime}': runtimeId,
      '{runtimeName}': runtimeId.replace(AGENTCORE_SUFFIX, ''),
      '{version}': String(desiredVersion),
      '{endpoint}': endpoint,
    };
    // In one go, because a name may look like a placeholder.
    const dimensions = Object.entries(rule.dimensions).map(([name, value]) => [
      name,
      value.replaceAll(/\{\w+\}/g, (placeholder) => values[placeholder] ?? placeholder),
    ]);
    return { rule: { ...rule, dimensions: Object.fromEntries(dimensions) }, endpoint, from, to };
  });
}

/** Amazon Bedrock AgentCore makes the id of a runtime from its name, and publishes metrics under the name. */
const AGENTCORE_SUFFIX = /-[a-zA-Z0-9]{10}$/;

/** Seconds after the convergence of a wave until at least one whole period is in, at the latest. */
export function firstAnswerSeconds({
  periodSeconds,
  delaySeconds,
}: Pick<MetricRule, 'periodSeconds' | 'delaySeconds'>): number {
  return 2 * periodSeconds + delaySeconds;
}

/** "SystemErrors per Invocations of canary-1" */
export function nameOfMetric({ rule, endpoint }: Pick<MetricQuestion, 'rule' | 'endpoint'>) {
  const { metric, per } = rule;
  return `${metric}${per === null ? '' : ` per ${per.metric}`}${endpoint === null ? '' : ` of ${endpoint}`}`;
}

/** What CloudWatch is asked for: a value for each period. */
export interface Series {
  readonly metric: string;
  readonly statistic: string;
}

/** The series that `judgeMetric` needs for an answer, in this order. */
export function seriesOf({ metric, statistic, per }: MetricRule): readonly Series[] {
  if (per !== null) return [{ metric, statistic }, per];
  // The average of averages is not the average.
  if (statistic !== 'Average') return [{ metric, statistic }];
  return [
    { metric, statistic: 'Sum' },
    { metric, statistic: 'SampleCount' },
  ];
}

type Verdict = Pick<GateReading, 'verdict' | 'detail'>;

/**
 * Compares a metric with its limit.
 *
 * @param values The values of each series that `seriesOf` names, in any order. A period without data has none.
 */
export function judgeMetric(
  { rule, from, to }: MetricQuestion,
  [values = [], divisors = []]: readonly (readonly number[])[],
): Verdict {
  const { per, statistic, limit, noData } = rule;
  const during = `in ${(to - from) / 60_000} min from ${new Date(from).toISOString().slice(0, 16)}Z`;
  const value = fold(values, rule);
  const divisor = sum(divisors);
  if (per !== null && divisor === 0 && !value) {
    return silence(`no ${per.metric} ${during}`, per.noData);
  }
  const isDivided = per !== null || statistic === 'Average';
  if (value === null || (per === null && isDivided && divisor === 0)) {
    return silence(`no data ${during}`, noData);
  }
  const compared = isDivided ? value / divisor : value;
  const said = Number.isFinite(compared)
    ? `${Number(compared.toPrecision(6))} ${during}`
    : `${value} without ${per?.metric} ${during}`;
  if ('above' in limit && compared > limit.above) {
    return { verdict: 'fail', detail: `${said}, above ${limit.above}` };
  }
  if ('below' in limit && compared < limit.below) {
    return { verdict: 'fail', detail: `${said}, below ${limit.below}` };
  }
  // Who tries a configuration wants the value, whatever the limit is.
  if ('above' in limit && limit.above === Number.POSITIVE_INFINITY) {
    return { verdict: 'pass', detail: said };
  }
  const limited = 'above' in limit ? `not above ${limit.above}` : `not below ${limit.below}`;
  return { verdict: 'pass', detail: `${said}, ${limited}` };
}

function silence(detail: string, noData: NoData): Verdict {
  return { verdict: noData === 'wait' ? 'unknown' : noData, detail };
}

/** One value for all periods. `null`: no period has one. */
function fold(values: readonly number[], { statistic, limit }: MetricRule): number | null {
  if (values.length === 0) return null;
  switch (statistic) {
    case 'Maximum':
      return Math.max(...values);
    case 'Minimum':
      return Math.min(...values);
    case 'Sum':
    case 'SampleCount':
    case 'Average':
      return sum(values);
    default:
      // The percentile of a longer time does not follow from those of its periods, so the worst one counts.
      return 'above' in limit ? Math.max(...values) : Math.min(...values);
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
