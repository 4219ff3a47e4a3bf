import * as z from 'zod';
import { checkAlways, exactlyOneOf, word } from '../contract/parsing/checks.ts';
import { secretSourceSchema } from '../contract/parsing/secret-source.ts';
import { calledUrlSchema } from '../contract/service/endpoint-url.ts';
import type { Seconds } from '../domain/clock.ts';
import type { RolloutRequest } from '../domain/rollout/request.ts';
import { enforce, type GateAnswer, silent } from './gate.ts';
import { answerWithout, judgeValue, noDataSchema, placeholdersFor } from './limit.ts';

const PLACEHOLDERS = /\{(runtime|runtimeName|endpoint|version|window)\}/g;

const auth = z.strictObject({
  kind: z
    .enum(['bearer', 'basic'])
    .describe('A token, or a user and a password with a colon between them.'),
  secret: secretSourceSchema,
});

export const prometheusRule = z
  .strictObject({
    name: word.max(64).describe('What it is called in plans and stories: "error rate".'),
    url: calledUrlSchema.describe(
      'Base URL of the server, before /api/v1: https, or http to this machine or to a host in allowHttp.',
    ),
    query: word
      .max(10_000)
      .describe(
        'In PromQL. {runtime}, {runtimeName}, {endpoint}, {version} and {window} are filled in; with {endpoint} each endpoint of the wave is asked about.',
      ),
    above: z.number().describe('Larger values are a no.').exactOptional(),
    below: z.number().describe('Instead of above: smaller values are a no.').exactOptional(),
    noData: noDataSchema.describe(
      'What it means when the query finds nothing: no answer yet, a yes or a no.',
    ),
    auth: auth.describe('Who asks. Default: nobody in particular.').exactOptional(),
    timeoutSeconds: z.int().min(1).max(30).default(10).describe('Seconds for each request.'),
    enforce,
  })
  .check(
    exactlyOneOf('above', 'below'),
    checkAlways(({ query }, report) => {
      if (typeof query !== 'string') return;
      const unknown = query.match(/\{\w+\}/g)?.find((one) => !one.match(PLACEHOLDERS));
      if (unknown === undefined) return;
      const known = '{runtime}, {runtimeName}, {endpoint}, {version}, {window}';
      report(['query'], query, `${unknown} is no placeholder: ${known}`);
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

const sample = z.tuple([z.number(), z.string()]);
const querySchema = z.object({
  status: z.literal('success'),
  warnings: z.array(z.string()).optional(),
  data: z.discriminatedUnion('resultType', [
    z.object({ resultType: z.literal('scalar'), result: sample }),
    z.object({ resultType: z.literal('vector'), result: z.array(z.object({ value: sample })) }),
  ]),
});

/** What an answer of `/api/v1/query` means: each value is within the limit. @param hasBaked Else data may yet come. */
export function judgeQuery(
  json: unknown,
  rule: Pick<PrometheusRule, 'above' | 'below' | 'noData'>,
  hasBaked: boolean,
): GateAnswer {
  const { success, data: said } = querySchema.safeParse(json);
  if (!success) return silent('no vector and no scalar in the answer');
  const [warning] = said.warnings ?? [];
  if (warning !== undefined) return silent(`with a warning: ${warning.slice(0, 100)}`);
  const { data } = said;
  const samples =
    data.resultType === 'scalar' ? [data.result] : data.result.map((one) => one.value);
  const values = samples.map(([, text]) => toNumber(text)).filter((value) => !Number.isNaN(value));
  if (values.length === 0) return answerWithout('no data', rule.noData, hasBaked);
  const worst = rule.above === undefined ? Math.min(...values) : Math.max(...values);
  const shown = Number.isFinite(worst) ? Number(worst.toPrecision(6)) : worst;
  return judgeValue(worst, `${shown}`, rule);
}

/** As Go writes numbers. */
function toNumber(text: string): number {
  const infinity = text.match(/^([+-]?)Inf$/);
  if (infinity !== null) return infinity[1] === '-' ? -Infinity : Infinity;
  return text.trim() === '' ? Number.NaN : Number(text);
}
