import * as z from 'zod';
import { namedOnce } from '../contract/input/checks.ts';
import type { SecretSource } from '../contract/input/secret-source.ts';
import type { Seconds } from '../domain/clock.ts';
import { asSaid, type Endpoint } from '../domain/endpoint/endpoint.ts';
import { inParallel } from '../domain/in-parallel.ts';
import { nameOf } from '../domain/sentences.ts';
import {
  type AskedWave,
  answer,
  type Gate,
  type GateAnswer,
  IN_BAKE,
  type NamedAnswer,
  type NamedUrl,
  originsOf,
  type StartQuestion,
  silent,
  type TrialQuestion,
} from './gate.ts';
import { describeRule } from './limit.ts';
import {
  asksOfEach,
  asksOfTime,
  fillIn,
  judgeCount,
  judgeQuery,
  type PrometheusRule,
  prometheusRule,
} from './prometheus-rule.ts';

const KIND = 'query';

const schema = z
  .array(prometheusRule)
  .max(20)
  .check(namedOnce)
  .default([])
  .describe('Queries of a Prometheus server whose values must stay within a limit.');

export interface PrometheusPort {
  /** Asks a query. The answer is that of the server, or why there is none. `endpoint`: the only one that it is about. */
  prometheus(
    rule: PrometheusRule,
    query: string,
    endpoint: string | null,
    signal?: AbortSignal,
  ): Promise<{ readonly json: unknown } | GateAnswer>;
}

export const prometheus: Gate<typeof schema, PrometheusPort, 'wave'> = {
  kind: KIND,
  of: 'wave',
  schema,
  answers: (rule) => ['trial', ...(asksOfEach(rule) ? [] : (['start'] as const)), ...IN_BAKE],
  async ask(rules, question, port) {
    if (question.when === 'trial') return tryQueries(rules, question, port);
    if (question.when === 'start') return askAtStart(rules, question, port);
    return 'settled' in question ? askQueries(rules, question, port) : [];
  },
  describe: (rules) =>
    rules.map((rule) => {
      const { name, url, noData, atLeast } = rule;
      return describeRule(
        `Query ${name}`,
        asksOfEach(rule),
        rule,
        new URL(url).origin,
        noData,
        atLeast?.count,
      );
    }),
  needs: (rules) => ({
    calls: originsOf(urlsOf(rules)),
    urls: urlsOf(rules),
    secrets: Object.fromEntries(
      rules.flatMap(({ auth }, index): [string, SecretSource][] =>
        auth === undefined ? [] : [[`[${index}].auth.secret`, auth.secret]],
      ),
    ),
  }),
  rehearse: ({ sick }) => ({
    async prometheus({ above }, _, endpoint) {
      const names = sick();
      const isSick = endpoint === null ? names.length > 0 : names.includes(endpoint);
      return answer(isSick ? `beyond ${above ?? 'its limit'}` : 'within its limit', !isSick);
    },
  }),
};

function urlsOf(rules: readonly PrometheusRule[]): NamedUrl[] {
  return rules.map(({ url }, index) => ({ path: [index, 'url'], url }));
}

/** So many requests are open at once. */
const AT_ONCE = 16;

async function askQueries(
  rules: readonly PrometheusRule[],
  wave: AskedWave,
  port: PrometheusPort,
): Promise<NamedAnswer[]> {
  const { when, request, endpoints, settled, since, now, noes } = wave;
  const hasBaked = when === 'bake-end';
  const windowSeconds = Math.floor((now - since) / 1000);
  const asked = rules.flatMap((rule) => {
    const each = asksOfTime(rule) ? settled : endpoints;
    const about: readonly (Endpoint | null)[] = asksOfEach(rule) ? each : [null];
    return about.map((endpoint) => ({ rule, endpoint }));
  });
  return inParallel(asked, AT_ONCE, async ({ rule, endpoint }): Promise<NamedAnswer> => {
    // It is asked for under the name that the service said, and told under the one that is shown.
    const name = endpoint && (asSaid(endpoint).name ?? endpoint.id);
    const about = { ...request, endpoint: name, windowSeconds };
    const accused = seriesOf(noes, rule, endpoint);
    const said = await askQuery(rule, about, { hasBaked, accused }, port);
    const named = { name: nameOfQuery(rule, endpoint), ...said };
    return endpoint === null ? named : { gate: rule.name, endpointId: endpoint.id, ...named };
  });
}

function nameOfQuery({ name }: PrometheusRule, endpoint: Endpoint | null): string {
  return endpoint === null ? name : `${name} of ${nameOf(endpoint)}`;
}

/** The series with which a query has said a no that still stands. */
function seriesOf(
  noes: AskedWave['noes'],
  rule: PrometheusRule,
  endpoint: Endpoint | null,
): readonly string[] {
  const name = nameOfQuery(rule, endpoint);
  const isOf = (no: AskedWave['noes'][number]) =>
    no.kind === KIND && no.name === name && no.endpointId === endpoint?.id;
  return noes.find(isOf)?.series ?? [];
}

async function askQuery(
  rule: PrometheusRule,
  about: Parameters<typeof fillIn>[1],
  known: Parameters<typeof judgeQuery>[2],
  port: PrometheusPort,
): Promise<GateAnswer> {
  const { atLeast } = rule;
  const filled = fillIn(rule, about);
  if ('why' in filled) return silent(filled.why);
  const least = atLeast === undefined ? filled : fillIn(atLeast, about);
  if ('why' in least) return silent(least.why);
  if (atLeast !== undefined) {
    const counted = await port.prometheus(rule, least.query, about.endpoint);
    const few = 'json' in counted ? judgeCount(counted.json, rule, known.hasBaked) : counted;
    if (few !== null) return few;
  }
  const said = await port.prometheus(rule, filled.query, about.endpoint);
  return 'json' in said ? judgeQuery(said.json, rule, known) : said;
}

/** What `{window}` is before anything is rolled. */
const BEFORE: Seconds = 300;

/** That there are no data says nothing before the version is there. */
function askAtStart(
  rules: readonly PrometheusRule[],
  { runtimeId, desiredVersion }: StartQuestion,
  port: PrometheusPort,
): Promise<NamedAnswer[]> {
  const about = { runtimeId, desiredVersion, endpoint: null, windowSeconds: BEFORE };
  return Promise.all(
    rules.map(async (rule) => ({
      name: rule.name,
      ...(await askQuery(
        { ...rule, noData: 'wait' },
        about,
        { hasBaked: false, accused: [] },
        port,
      )),
    })),
  );
}

/** What exists has had data in this time, unless nobody uses the endpoint. */
const LATELY: Seconds = 86_400;

/** A value of today says nothing about the next version, so any value will do. */
function tryQueries(
  rules: readonly PrometheusRule[],
  { endpoints, ...request }: TrialQuestion,
  port: PrometheusPort,
): Promise<NamedAnswer[]> {
  const about = { ...request, endpoint: endpoints[0] ?? null, windowSeconds: LATELY };
  return Promise.all(
    rules.map(async ({ below: _, atLeast, ...rule }): Promise<NamedAnswer> => {
      const any = { above: Number.POSITIVE_INFINITY, noData: 'wait' } as const;
      const free = { ...rule, ...any, ...(atLeast && { atLeast: { ...atLeast, count: 0 } }) };
      return {
        name: rule.name,
        ...(await askQuery(free, about, { hasBaked: true, accused: [] }, port)),
      };
    }),
  );
}
