import * as z from 'zod';
import { checkAlways, word } from '../contract/input/checks.ts';
import type { Instant } from '../domain/clock.ts';
import { dateMinute } from '../domain/local-time.ts';
import type { RolloutRequest } from '../domain/rollout/request.ts';
import { recordOf } from '../domain/stored.ts';
import { type AskedWave, enforce, type GateAnswer } from './gate.ts';
import { answerOnFew, answerWithout, judgeValue, noDataSchema, placeholdersFor } from './limit.ts';

/** The placeholders in the dimensions of a metric. */
const METRIC_PLACEHOLDERS = ['{runtime}', '{runtimeName}', '{endpoint}', '{version}'];

const noData = noDataSchema.describe(
  'What it means when there are no data: no answer yet, a yes or a no.',
);

const divisor = z.strictObject({
  metric: word.describe('Another metric of the same namespace and dimensions: "Invocations".'),
  statistic: z.enum(['Sum', 'SampleCount']).default('Sum').describe('What is counted.'),
  noData: noData.describe('What it means when it has no data or is 0.'),
});

const dimension = z
  .string()
  .min(1)
  .max(1_024)
  .check(({ value, issues }) => {
    const unknown = value.match(/\{[^{}]*\}/g)?.find((one) => !METRIC_PLACEHOLDERS.includes(one));
    if (unknown === undefined) return;
    const message = `use only the placeholders ${METRIC_PLACEHOLDERS.join(', ')}`;
    issues.push({ code: 'custom', message, input: value });
  });

const COUNTS = ['Sum', 'SampleCount'];
/** CloudWatch takes no more dimensions of a metric. */
const MOST_DIMENSIONS = 30;

export const metricRule = z
  .strictObject({
    namespace: word.describe('Namespace of the metric: "AWS/Bedrock-AgentCore".'),
    metric: word.describe('Name of the metric: "SystemErrors".'),
    dimensions: recordOf(word, dimension)
      .refine(
        (given) => Object.keys(given).length <= MOST_DIMENSIONS,
        `use at most ${MOST_DIMENSIONS} dimensions`,
      )
      .default({})
      .describe(
        'All dimensions of the metric. {runtime}, {runtimeName}, {endpoint} and {version} are filled in; with {endpoint} each endpoint of the wave is asked about.',
      ),
    statistic: z
      .string()
      .regex(
        /^(Sum|SampleCount|Average|Maximum|Minimum|p\d{1,2}(\.\d{1,2})?)$/,
        'use Sum, SampleCount, Average, Maximum, Minimum or a percentile: p99',
      )
      .default('Sum')
      .describe('Sum, SampleCount, Average, Maximum, Minimum, or a percentile such as p99.'),
    periodSeconds: z
      .int()
      .min(60)
      .max(3_600)
      .multipleOf(60)
      .default(60)
      .describe('Only whole periods are looked at, in seconds: whole minutes.'),
    delaySeconds: z
      .int()
      .min(0)
      .max(3_600)
      .default(120)
      .describe('How late data of the metric may come. So many seconds are not looked at.'),
    per: divisor
      .nullable()
      .default(null)
      .describe('Makes it a rate: the metric is divided by this one.'),
    atLeast: z
      .int()
      .min(1)
      .describe(
        'With fewer there is no answer yet: of the metric that per names, or else samples of this one.',
      )
      .exactOptional(),
    limit: z
      .union([
        z.strictObject({ above: z.number().describe('Larger values are a no.') }),
        z.strictObject({ below: z.number().describe('Smaller values are a no.') }),
      ])
      .describe('Which values are a no.'),
    noData,
    enforce,
  })
  .check(
    checkAlways(({ per, statistic }, report) => {
      if (per === null || per === undefined || COUNTS.includes(statistic)) return;
      report(['statistic'], statistic, `with per, use ${COUNTS.join(' or ')}`);
    }),
  );

export type MetricRule = z.output<typeof metricRule>;

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
  /** Whether the wave has baked. Before, a no that more time may turn into a yes is none yet. */
  readonly hasBaked: boolean;
}

/** What has to be asked. @param endpoints Names, asked about one by one when a dimension has `{endpoint}`. */
export function questionsAbout(
  rule: MetricRule,
  request: Pick<RolloutRequest, 'runtimeId' | 'desiredVersion'>,
  endpoints: readonly string[],
  { since, now, hasBaked }: Pick<AskedWave, 'since' | 'now'> & Pick<MetricQuestion, 'hasBaked'>,
): MetricQuestion[] {
  const periodMs = rule.periodSeconds * 1000;
  const from = Math.ceil(since / periodMs) * periodMs;
  const to = Math.floor((now - rule.delaySeconds * 1000) / periodMs) * periodMs;
  return (isOfEach(rule) ? endpoints : [null]).map((endpoint) => {
    const values = placeholdersFor(request, endpoint);
    // In one go, because a name may look like a placeholder.
    const dimensions = Object.entries(rule.dimensions).map(([name, value]) => [
      name,
      value.replaceAll(/\{\w+\}/g, (placeholder) => values[placeholder] ?? placeholder),
    ]);
    const asked = { ...rule, dimensions: Object.fromEntries(dimensions) };
    return { rule: asked, endpoint, from, to, hasBaked };
  });
}

/** Whether each endpoint is asked about. */
export function isOfEach({ dimensions }: Pick<MetricRule, 'dimensions'>): boolean {
  return Object.values(dimensions).some((value) => value.includes('{endpoint}'));
}

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
export function seriesOf({ metric, statistic, per, atLeast }: MetricRule): readonly Series[] {
  if (per !== null) return [{ metric, statistic }, per];
  // The average of averages is not the average.
  if (statistic !== 'Average') {
    const samples = { metric, statistic: 'SampleCount' };
    return [{ metric, statistic }, ...(atLeast === undefined ? [] : [samples])];
  }
  return [
    { metric, statistic: 'Sum' },
    { metric, statistic: 'SampleCount' },
  ];
}

/**
 * Compares a metric with its limit. Before the end of the bake, a count that is still too small may yet grow, and data may
 * yet come: such a no is no answer yet.
 *
 * @param values The values of each series that `seriesOf` names, in any order. A period without data has none.
 */
export function judgeMetric(
  { rule, from, to, hasBaked }: MetricQuestion,
  [values = [], divisors = []]: readonly (readonly number[])[],
): GateAnswer {
  const { per, statistic, noData } = rule;
  const during = `in ${(to - from) / 60_000} min from ${dateMinute(from)}`;
  const value = fold(values, rule);
  const divisor = sum(divisors);
  const few = judgeFew(rule, divisor, during, hasBaked);
  if (few !== null) return few;
  if ([...values, ...divisors].some(Number.isNaN)) {
    return answerWithout(`a value that is no number ${during}`, noData, hasBaked);
  }
  if (per !== null && divisor === 0 && !value) {
    return answerWithout(`no ${per.metric} ${during}`, per.noData, hasBaked);
  }
  const isDivided = per !== null || statistic === 'Average';
  if (value === null || (per === null && isDivided && divisor === 0)) {
    return answerWithout(`no data ${during}`, noData, hasBaked);
  }
  const compared = isDivided ? value / divisor : value;
  const said = Number.isFinite(compared)
    ? `${Number(compared.toPrecision(6))} ${during}`
    : `${value} without ${per?.metric} ${during}`;
  const judged = judgeValue(compared, said, rule.limit);
  const mayPass = judged.verdict === 'fail' && !hasBaked && mayTurn(rule);
  return mayPass ? { ...judged, verdict: 'unknown' } : judged;
}

/** `null`: there are enough of them. */
function judgeFew(
  { per, noData, atLeast = 0 }: MetricRule,
  count: number,
  during: string,
  hasBaked: boolean,
): GateAnswer | null {
  // A count that is no number is none.
  if (atLeast === 0 || count >= atLeast) return null;
  const of = per === null ? 'samples' : per.metric;
  const detail = `${count} of at least ${atLeast} ${of} ${during}`;
  return answerOnFew(detail, per === null ? noData : per.noData, hasBaked);
}

/** Whether more data may bring a value that is beyond its limit back within it, however bad they are. */
function mayTurn({ per, statistic, limit }: MetricRule): boolean {
  if (per !== null) return false;
  return 'below' in limit
    ? statistic === 'Maximum' || COUNTS.includes(statistic)
    : statistic === 'Minimum';
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
