import * as z from 'zod';
import { type MetricRule, NO_DATA } from '../../domain/rollout/policy.ts';
import { METRIC_PLACEHOLDERS } from '../../domain/wave/metrics.ts';
import { checkAlways, seconds, word, words } from '../parsing/checks.ts';

/** A pattern `*.*` would match any host. */
const hostPattern = word.regex(
  /(^|\.)[^.*]+$/,
  'use a host, or a pattern that ends in a fixed part: *.example.com',
);

const probe = z.strictObject({
  path: z
    .string()
    .regex(/^\/[\x21-\x7e]*$/, 'use a path that starts with /')
    .describe('Path at the origin of the URL: "/healthz".'),
  status: z.int().min(200).max(599).default(200).describe('The only HTTP status that is a yes.'),
  tries: z
    .int()
    .min(1)
    .max(10)
    .default(3)
    .describe('How many requests may fail before the answer is a no.'),
  timeoutSeconds: z.int().min(1).max(30).default(5).describe('Seconds for each request.'),
  hosts: z
    .array(hostPattern)
    .min(1)
    .max(1_000)
    .describe('Hosts that may be asked; * stands for one part of a name, but not the last one.'),
  privateNetwork: z
    .boolean()
    .default(false)
    .describe('Whether host names may lead to private addresses or to this machine.'),
});

const noData = z
  .enum(NO_DATA)
  .default('wait')
  .describe('What it means when there are no data: no answer yet, a yes or a no.');

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

const metric = z
  .strictObject({
    namespace: word.describe('Namespace of the metric: "AWS/Bedrock-AgentCore".'),
    metric: word.describe('Name of the metric: "SystemErrors".'),
    dimensions: z
      .record(word, dimension)
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
    limit: z
      .union([
        z.strictObject({ above: z.number().describe('Larger values are a no.') }),
        z.strictObject({ below: z.number().describe('Smaller values are a no.') }),
      ])
      .describe('Which values are a no.'),
    noData,
  })
  .check(
    checkAlways(({ per, statistic }, report) => {
      if (per === null || per === undefined || COUNTS.includes(statistic)) return;
      report(['statistic'], statistic, `with per, use ${COUNTS.join(' or ')}`);
    }),
  ) satisfies z.ZodType<MetricRule>;

const approval = z.strictObject({
  timeoutSeconds: seconds
    .min(1)
    .describe('How long to wait for an answer, from when somebody was asked.'),
  onTimeout: z
    .enum(['approve', 'reject'])
    .default('reject')
    .describe('What happens when nobody answers in time.'),
});

/** What is checked after the bake. */
export const verification = z.strictObject({
  probe: probe.nullable().default(null).describe('A request to the URL of each endpoint.'),
  alarms: words.default([]).describe('CloudWatch alarms that must be OK.'),
  metrics: z
    .array(metric)
    .max(20)
    .default([])
    .describe('CloudWatch metrics that must stay within a limit after the wave has converged.'),
  approval: approval.nullable().default(null).describe('A person has to say yes.'),
});
