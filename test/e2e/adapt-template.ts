import { readFileSync, writeFileSync } from 'node:fs';

interface Resource {
  readonly Type: string;
  Properties?: Record<string, unknown>;
}

interface MetricStat {
  readonly Metric: { readonly Namespace: string; readonly MetricName: string };
  readonly Period: number;
  readonly Stat: string;
}

/**
 * Takes out of a synthesized template what the emulator cannot create, and nothing else: an alarm on the sum
 * of several metrics becomes one on the first of them. docs/emulator.md lists it.
 */
export function adaptTemplate(file: string): void {
  const template = JSON.parse(readFileSync(file, 'utf8'));
  for (const resource of Object.values(template.Resources as Record<string, Resource>)) {
    if (resource.Type === 'AWS::CloudWatch::Alarm') resource.Properties = withOneMetric(resource);
  }
  writeFileSync(file, JSON.stringify(template));
}

function withOneMetric({ Properties = {} }: Resource): Record<string, unknown> {
  const { Metrics, ...others } = Properties;
  if (!Array.isArray(Metrics)) return Properties;
  const stats: MetricStat[] = Metrics.flatMap(({ MetricStat }) => MetricStat ?? []);
  const [first] = stats;
  if (first === undefined) throw new Error('An alarm has no metric.');
  const { Metric, Period, Stat } = first;
  return { ...others, ...Metric, Period, Statistic: Stat };
}
