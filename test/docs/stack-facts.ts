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

function metricsOf(changes: object): number {
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
