import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { readJsonFile } from '../../lib/adapters/machine/files.ts';
import type { EndpointRolloutsProps } from '../../lib/constructs/endpoint-rollouts-props.ts';
import { RolloutStack } from '../../lib/constructs/rollout-stack.ts';
import { EVERYTHING } from '../constructs/everything.ts';
import { tableOf } from './markdown-table.ts';

/** The services that a deployment of everything has resources of. */
export function stackServices(): string {
  const { Resources } = templateOf(EVERYTHING).toJSON();
  const types = Object.values<{ readonly Type: string }>(Resources).map(({ Type }) => Type);
  const services = new Set(
    types.flatMap((type) => (type.startsWith('AWS::') ? type.split('::')[1] : [])),
  );
  return `${[...services].toSorted().join(', ')}.`;
}

/** Every alarm of a stack: when it rings, what helps then, and in what time it counts. */
export function alarmsTable(): string {
  const alarms = templateOf({ ...MINIMAL, notifications: {} }).findResources(
    'AWS::CloudWatch::Alarm',
  );
  const rows = new Map<string, string[]>();
  for (const { Properties } of Object.values(alarms)) {
    const text = textOf(Properties.AlarmDescription).replaceAll('Steproll', 'the stack');
    const [, what = text, section = ''] = /^(.*): docs\/runbook\.md, "(.*)"$/.exec(text) ?? [];
    const anchor = section.toLowerCase().replaceAll(' ', '-');
    rows.set(what, [what, `[${section}](runbook.md#${anchor})`, `${minutesOf(Properties)} min`]);
  }
  return tableOf(
    ['rings when', 'runbook', 'counted in'],
    [...rows.values()].toSorted(([, one = ''], [, other = '']) => one.localeCompare(other)),
  );
}

type Joined = string | { readonly 'Fn::Join': readonly [string, readonly unknown[]] };

/** A text of a template. What is known only at the deployment is left out. */
function textOf(text: Joined): string {
  if (typeof text === 'string') return text;
  const [, parts] = text['Fn::Join'];
  return parts.filter((part) => typeof part === 'string').join('…');
}

interface AlarmProperties {
  readonly Period?: number;
  readonly EvaluationPeriods: number;
  readonly TreatMissingData: string;
  readonly Metrics?: readonly { readonly MetricStat?: { readonly Period: number } }[];
}

/** Silence counts once all periods have been silent. */
function minutesOf({ Period, EvaluationPeriods, TreatMissingData, Metrics }: AlarmProperties) {
  const seconds = Period ?? Metrics?.find(({ MetricStat }) => MetricStat)?.MetricStat?.Period ?? 0;
  return (seconds * (TreatMissingData === 'breaching' ? EvaluationPeriods : 1)) / 60;
}

/** How many metrics the alarms of a stack look at. */
export function alarmMetrics(): string {
  const base = metricsOf({});
  const schedules = [{ name: 'daily', runtimeId: 'shop', rate: '1 day', version: 2 }];
  const more = (changes: object) => `${metricsOf(changes) - base} more`;
  return tableOf(
    ['stack', 'metrics of alarms'],
    [
      ['with the default configuration', `${base}`],
      ['each additional rule that starts rollouts', more({ triggers: { schedules } })],
      ['with notifications', more({ notifications: {} })],
    ],
  );
}

export function metricsOf(changes: object): number {
  const alarms = templateOf({ ...MINIMAL, ...changes }).findResources('AWS::CloudWatch::Alarm');
  return Object.values(alarms)
    .map(({ Properties }) => countOf(Properties.Metrics))
    .reduce((sum, count) => sum + count, 0);
}

function templateOf(config: EndpointRolloutsProps): Template {
  const { context } = readJsonFile('cdk.json').value as {
    readonly context: Record<string, unknown>;
  };
  // Nothing is bundled, because that takes seconds.
  const app = new App({
    builtinCloudFormationValidation: false,
    context: { ...context, 'aws:cdk:bundling-stacks': [] },
  });
  return Template.fromStack(new RolloutStack(app, 'Steproll', { config }));
}

/** An alarm looks at one metric, or at those that an expression names. */
function countOf(metrics: readonly { readonly MetricStat?: object }[] | undefined): number {
  return metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1;
}

const MINIMAL = {
  endpointUrl: 'https://endpoints.example.com',
  runtimes: { shop: {} },
};
