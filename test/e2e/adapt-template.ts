import { readFileSync, writeFileSync } from 'node:fs';

// node test/e2e/adapt-template.ts FILE
// Takes out of a synthesized template what the emulator cannot do, and nothing else. docs/emulator.md lists it.
const [file = ''] = process.argv.slice(2);
writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, 'utf8'), adapt)));

function adapt(key: string, value: unknown): unknown {
  if (key === 'Statement' && Array.isArray(value)) return value.flatMap(statement);
  return isAlarm(value) ? { ...value, Properties: withOneMetric(value.Properties) } : value;
}

interface Statement {
  readonly Effect: string;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The emulator is called without TLS, and does not know the key `events:source`. */
function statement(given: Statement): Statement[] {
  const { Condition = {}, ...others } = given;
  if (Condition.Bool?.['aws:SecureTransport'] === 'false') return [];
  return Condition.StringEquals?.['events:source'] === undefined ? [given] : [others];
}

interface Alarm {
  readonly Properties: { readonly Metrics?: readonly { readonly MetricStat?: MetricStat }[] };
}

interface MetricStat {
  readonly Metric: { readonly Namespace: string; readonly MetricName: string };
  readonly Period: number;
  readonly Stat: string;
}

function isAlarm(value: unknown): value is Alarm {
  return (value as { Type?: unknown } | null)?.Type === 'AWS::CloudWatch::Alarm';
}

/** The emulator has no alarms on the sum of several metrics. */
function withOneMetric({ Metrics, ...others }: Alarm['Properties']): object {
  if (Metrics === undefined) return others;
  const [first] = Metrics.flatMap(({ MetricStat }) => MetricStat ?? []);
  if (first === undefined) throw new Error('An alarm has no metric.');
  const { Metric, Period, Stat } = first;
  return { ...others, ...Metric, Period, Statistic: Stat };
}
