import * as z from 'zod';
import { checkAlways, exactlyOneOf, word } from '../contract/input/checks.ts';
import { secretSourceSchema } from '../contract/input/secret-source.ts';
import { calledUrlSchema } from '../contract/service/endpoint-url.ts';
import type { Seconds } from '../domain/clock.ts';
import type { RolloutRequest } from '../domain/rollout/request.ts';
import { oneLine } from '../domain/sentences.ts';
import { enforce, type GateAnswer, silent } from './gate.ts';
import { answerOnFew, answerWithout, judgeValue, noDataSchema, placeholdersFor } from './limit.ts';

const PLACEHOLDERS = /\{(runtime|runtimeName|endpoint|version|window)\}/g;

const auth = z.strictObject({
  kind: z
    .enum(['bearer', 'basic'])
    .describe('A token, or a user and a password with a colon between them.'),
  secret: secretSourceSchema,
});

const queryText = word.max(10_000);

export const prometheusRule = z
  .strictObject({
    name: word.max(64).describe('What it is called in plans and stories: "error rate".'),
    url: calledUrlSchema.describe(
      'Base URL of the server, before /api/v1: https, or http to this machine or to a host in allowHttp.',
    ),
    query: queryText.describe(
      'In PromQL. {runtime}, {runtimeName}, {endpoint}, {version} and {window} are filled in; with {endpoint} each endpoint of the wave is asked about.',
    ),
    above: z.number().describe('Larger values are a no.').exactOptional(),
    below: z.number().describe('Instead of above: smaller values are a no.').exactOptional(),
    atLeast: z
      .strictObject({
        query: queryText.describe(
          'A second query, with the same placeholders: how many there are.',
        ),
        count: z.number().min(1).describe('With fewer there is no answer yet.'),
      })
      .exactOptional(),
    noData: noDataSchema.describe(
      'What it means when the query finds nothing: no answer yet, a yes or a no.',
    ),
    auth: auth.describe('Who asks. Default: nobody in particular.').exactOptional(),
    timeoutSeconds: z.int().min(1).max(30).default(10).describe('Seconds for each request.'),
    enforce,
  })
  .check(
    exactlyOneOf('above', 'below'),
    checkAlways(({ query, atLeast }, report) => {
      const least = Object(atLeast).query;
      for (const [path, text] of [
        [['query'], query] as const,
        [['atLeast', 'query'], least] as const,
      ]) {
        if (typeof text !== 'string') continue;
        const unknown = text.match(/\{\w+\}/g)?.find((one) => !one.match(PLACEHOLDERS));
        if (unknown === undefined) continue;
        const known = '{runtime}, {runtimeName}, {endpoint}, {version}, {window}';
        report([...path], text, `${unknown} is no placeholder: ${known}`);
      }
    }),
  );

export type PrometheusRule = z.output<typeof prometheusRule>;

/** Whether each endpoint is asked about. */
export function asksOfEach({ query }: Pick<PrometheusRule, 'query'>): boolean {
  return query.includes('{endpoint}');
}

/** Whether it is about the time since a wave has converged. */
export function asksOfTime({ query }: Pick<PrometheusRule, 'query'>): boolean {
  return query.includes('{window}');
}

/** A rate needs two samples, which servers take up to once a minute. */
const SHORTEST_WINDOW: Seconds = 60;

interface FilledIn extends Pick<RolloutRequest, 'runtimeId' | 'desiredVersion'> {
  /** `null`: the query is not about a single endpoint. */
  readonly endpoint: string | null;
  readonly windowSeconds: Seconds;
}

/** The query with what it is about. Why it cannot be asked, when it must not or need not be asked. */
export function fillIn(
  { query }: Pick<PrometheusRule, 'query'>,
  { endpoint, windowSeconds, ...request }: FilledIn,
): { readonly query: string } | { readonly why: string } {
  const values: Readonly<Record<string, string>> = {
    ...placeholdersFor(request, endpoint),
    '{window}': `${windowSeconds}s`,
  };
  const used: readonly string[] = query.match(PLACEHOLDERS) ?? [];
  if (used.includes('{window}') && windowSeconds < SHORTEST_WINDOW) {
    return { why: 'its first minute is not over' };
  }
  // A name must stay a name, wherever in a query it stands.
  if (used.some((one) => !/^[\w .:/@-]*$/.test(values[one] ?? ''))) {
    return { why: 'its name cannot stand in a query' };
  }
  return { query: query.replaceAll(PLACEHOLDERS, (one) => values[one] ?? one) };
}

/** How many there are, from an answer of `/api/v1/query`: the sum of its values. `null`: it does not say. */
function countIn(json: unknown): number | null {
  const { success, data: said } = querySchema.safeParse(json);
  if (!success || said.warnings?.length) return null;
  const total = samplesIn(said.data).reduce((sum, { value }) => sum + value, 0);
  return Number.isFinite(total) ? total : null;
}

/** Why there is no answer yet: too few are there. `null`: there are enough. */
export function judgeCount(
  json: unknown,
  { atLeast, noData }: Pick<PrometheusRule, 'atLeast' | 'noData'>,
  hasBaked: boolean,
): GateAnswer | null {
  const count = countIn(json);
  if (atLeast === undefined || (count !== null && count >= atLeast.count)) return null;
  if (count === null) return silent('nothing says how many there are');
  return answerOnFew(`${shown(count)} of at least ${atLeast.count}`, noData, hasBaked);
}

const labelSchema = z.tuple([z.string(), z.string()]);
const sample = z.tuple([z.number(), z.string()]);
const querySchema = z.object({
  status: z.literal('success'),
  warnings: z.array(z.string()).optional(),
  data: z.discriminatedUnion('resultType', [
    z.object({ resultType: z.literal('scalar'), result: sample }),
    z.object({
      resultType: z.literal('vector'),
      result: z.array(
        z.object({
          metric: z.preprocess((labels) => Object.entries(labels ?? {}), z.array(labelSchema)),
          value: sample,
        }),
      ),
    }),
  ]),
});

interface Sample {
  /** The labels of its series: `{pod="web-1"}`. */
  readonly series: string;
  readonly value: number;
}

interface QueryAnswer extends GateAnswer {
  /** The series with which a no was said, the worst ones. @default - it is no no */
  readonly series?: readonly string[];
}

/**
 * What an answer of `/api/v1/query` means: each value is within the limit. A value beyond it is a no whatever else there is.
 * A series without a number, or one that was beyond the limit and is gone, says nothing, so the answer has no data.
 *
 * @param accused The series with which a no was said that still stands.
 * @param hasBaked Else data may yet come.
 */
export function judgeQuery(
  json: unknown,
  rule: Pick<PrometheusRule, 'above' | 'below' | 'noData'>,
  { hasBaked, accused }: { readonly hasBaked: boolean; readonly accused: readonly string[] },
): QueryAnswer {
  const { success, data: said } = querySchema.safeParse(json);
  if (!success) return silent('no vector and no scalar in the answer');
  const [warning] = said.warnings ?? [];
  if (warning !== undefined) return silent(`with a warning: ${warning.slice(0, 100)}`);
  const samples = samplesIn(said.data);
  const isUpward = rule.above !== undefined;
  const numbers = samples
    .filter(({ value }) => !Number.isNaN(value))
    .toSorted((one, other) => (one.value - other.value) * (isUpward ? -1 : 1));
  const [worst] = numbers;
  if (worst === undefined) return answerWithout('no data', rule.noData, hasBaked);
  const judged = judgeValue(worst.value, shown(worst.value), rule);
  if (judged.verdict === 'fail') {
    const beyond = numbers.filter(({ value }) => judgeValue(value, '', rule).verdict === 'fail');
    return { ...judged, series: beyond.slice(0, MOST_SERIES).map(({ series }) => series) };
  }
  const { length } = samples;
  if (numbers.length < length) {
    const detail = `no number in ${length - numbers.length} of ${length} series`;
    return answerWithout(detail, rule.noData, hasBaked);
  }
  const gone = accused.find((one) => samples.every(({ series }) => series !== one));
  if (gone === undefined) return judged;
  return answerWithout(`no data of ${gone}, which was beyond the limit`, rule.noData, hasBaked);
}

/** So many series of a no are remembered. */
const MOST_SERIES = 3;
/** Characters of the labels of one. */
const LONGEST_SERIES = 150;

function samplesIn(data: z.output<typeof querySchema>['data']): Sample[] {
  if (data.resultType === 'scalar') return [{ series: '', value: toNumber(data.result[1]) }];
  return data.result.map(({ metric, value: [, text] }) => {
    const labels = metric.map(([name, value]) => `${name}="${value}"`).toSorted();
    return { series: oneLine(`{${labels.join(',')}}`, LONGEST_SERIES), value: toNumber(text) };
  });
}

function shown(value: number): string {
  return `${Number.isFinite(value) ? Number(value.toPrecision(6)) : value}`;
}

/** As Go writes numbers. */
function toNumber(text: string): number {
  const infinity = text.match(/^([+-]?)Inf$/);
  if (infinity !== null) return infinity[1] === '-' ? -Infinity : Infinity;
  return text.trim() === '' ? Number.NaN : Number(text);
}
