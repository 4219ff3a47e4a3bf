import * as z from 'zod';
import { asSaid } from '../domain/endpoint/endpoint.ts';
import { type RolloutPolicy, shortestBakeOf } from '../domain/rollout/policy.ts';
import { nameOf } from '../domain/sentences.ts';
import {
  type AskedWave,
  answer,
  type Gate,
  type GateAnswer,
  IN_BAKE,
  type Misfit,
  type NamedAnswer,
  type RehearsedFleet,
  type StartQuestion,
  silent,
  type TrialQuestion,
} from './gate.ts';
import { describeRule } from './limit.ts';
import {
  firstAnswerSeconds,
  isOfEach,
  type MetricQuestion,
  type MetricRule,
  metricRule,
  nameOfMetric,
  questionsAbout,
} from './metric-rule.ts';

const schema = z
  .array(metricRule)
  .max(20)
  .default([])
  .describe('CloudWatch metrics that must stay within a limit after the wave has converged.');

export interface MetricPort {
  /** Reads metrics of CloudWatch and judges them. There is one answer for each question, in the same order. Each has a whole period. */
  metrics(
    questions: readonly MetricQuestion[],
    signal?: AbortSignal,
  ): Promise<readonly GateAnswer[]>;
}

export const metrics: Gate<typeof schema, MetricPort, 'wave'> = {
  kind: 'metric',
  of: 'wave',
  schema,
  answers: (rule) => ['trial', ...(isOfEach(rule) ? [] : (['start'] as const)), ...IN_BAKE],
  async ask(rules, question, port) {
    if (question.when === 'trial') return tryMetrics(rules, question, port);
    if (question.when === 'start') return askAtStart(rules, question, port);
    return 'settled' in question ? askMetrics(rules, question, port) : [];
  },
  describe: (rules) => rules.map(describeMetric),
  /**
   * The permission to read metrics must be for all resources
   * (https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html).
   */
  needs: () => ({ grants: [{ actions: ['cloudwatch:GetMetricData'], resources: ['*'] }] }),
  misfits: lateMetrics,
  rehearse: rehearseMetrics,
};

async function askMetrics(
  rules: readonly MetricRule[],
  { request, settled: endpoints, when, since, now }: AskedWave,
  port: MetricPort,
): Promise<NamedAnswer[]> {
  // A metric is asked for under the name that the service said, and told under the one that is shown.
  const names = endpoints.map((endpoint) => asSaid(endpoint).name ?? endpoint.id);
  const time = { since, now, hasBaked: when === 'bake-end' };
  const asked = rules.flatMap((rule) =>
    questionsAbout(rule, request, names, time).map((question, index) => {
      return { question, endpoint: question.endpoint === null ? undefined : endpoints[index] };
    }),
  );
  const due = asked.map(({ question }) => question).filter(({ from, to }) => to > from);
  const answers = due.length === 0 ? [] : await port.metrics(due);
  const answerTo = new Map(due.map((question, index) => [question, answers[index]]));
  return asked.map(({ question, endpoint }) => {
    const answer = answerTo.get(question) ?? NOT_YET;
    const name = nameOfMetric({ ...question, endpoint: endpoint ? nameOf(endpoint) : null });
    const gate = nameOfMetric({ ...question, endpoint: null });
    return { name, gate, ...(endpoint && { endpointId: endpoint.id }), ...answer };
  });
}

const NOT_YET = silent('its first whole period is not in yet');

function describeMetric(rule: MetricRule): string {
  const { namespace, statistic, limit, noData, atLeast } = rule;
  const name = nameOfMetric({ rule, endpoint: null });
  const where = `${statistic} in ${namespace}`;
  return describeRule(name, isOfEach(rule), limit, where, noData, atLeast);
}

/** A metric that never has a whole period before the deadline would end every rollout. */
function lateMetrics(rules: readonly MetricRule[], policy: RolloutPolicy): Misfit[] {
  const { progressDeadlineSeconds } = policy;
  const shortest = shortestBakeOf(policy);
  return rules.flatMap((rule, index) => {
    const needed = firstAnswerSeconds(rule);
    if (shortest + progressDeadlineSeconds > needed) return [];
    const message = `its first whole period is in after up to ${needed} s, so the shortest bake, ${shortest} s, and progressDeadlineSeconds, ${progressDeadlineSeconds}, must be longer together`;
    return [{ path: [index, 'periodSeconds'], input: rule.periodSeconds, message }];
  });
}

async function tryMetrics(
  rules: readonly MetricRule[],
  { endpoints, now, ...subject }: TrialQuestion,
  port: MetricPort,
): Promise<NamedAnswer[]> {
  const questions = rules.flatMap(({ atLeast: _, ...rule }) =>
    questionsAbout({ ...rule, limit: NO_LIMIT }, subject, endpoints, {
      since: now - LATELY_MS,
      now,
      hasBaked: true,
    }),
  );
  return questions.length === 0 ? [] : askEach(questions, port);
}

/** A metric that exists has had data in this time, unless nobody uses the endpoint. */
const LATELY_MS = 24 * 3_600_000;

/** A limit that no value breaks, because a value of today says nothing about the next version. */
const NO_LIMIT = { above: Number.POSITIVE_INFINITY };

/**
 * Its value in the last whole period. That there are no data says nothing before the version is there, and a count that is
 * too small for a bake says nothing in one period.
 */
async function askAtStart(
  rules: readonly MetricRule[],
  { now, ...subject }: StartQuestion,
  port: MetricPort,
): Promise<NamedAnswer[]> {
  const questions = rules.flatMap((rule) => {
    const per = rule.per && { ...rule.per, noData: 'wait' as const };
    const since = now - firstAnswerSeconds(rule) * 1000 + 1;
    const time = { since, now, hasBaked: false };
    return questionsAbout({ ...rule, per, noData: 'wait' }, subject, [], time);
  });
  return askEach(questions, port);
}

async function askEach(
  questions: readonly MetricQuestion[],
  port: MetricPort,
): Promise<NamedAnswer[]> {
  const answers = await port.metrics(questions);
  return questions.flatMap((question, index): NamedAnswer[] => {
    const answer = answers[index];
    return answer === undefined ? [] : [{ name: nameOfMetric(question), ...answer }];
  });
}

/** Every metric fails because of a sick endpoint; one of a single endpoint only because of that endpoint. */
function rehearseMetrics({ sick }: RehearsedFleet): MetricPort {
  return {
    async metrics(questions) {
      const names = sick();
      return questions.map(({ endpoint }) => {
        const isBeyond = endpoint === null ? names.length > 0 : names.includes(endpoint);
        return answer(isBeyond ? 'beyond its limit' : 'within its limit', !isBeyond);
      });
    },
  };
}
