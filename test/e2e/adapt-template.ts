import { readFileSync, writeFileSync } from 'node:fs';

// node test/e2e/adapt-template.ts FILE
// Takes out of a synthesized template what the emulator cannot do, and nothing else. contributing/emulator.md lists it.
const [file = ''] = process.argv.slice(2);
writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, 'utf8'), adapt)));

function adapt(key: string, value: unknown): unknown {
  if (key === 'Statement' && Array.isArray(value)) return value.flatMap(statement);
  if (isOfType<Schedule>(value, 'AWS::Scheduler::Schedule')) {
    return { ...value, Properties: withItsTime(value.Properties) };
  }
  return isOfType<Alarm>(value, 'AWS::CloudWatch::Alarm')
    ? { ...value, Properties: withOneMetric(value.Properties) }
    : value;
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

function isOfType<Resource extends object>(value: unknown, type: string): value is Resource {
  return (value as { Type?: unknown } | null)?.Type === type;
}

interface Schedule {
  readonly Properties: {
    readonly ScheduleExpression: string;
    readonly Target: { readonly Input: string };
  };
}

/** The emulator hands on what stands for the time of a schedule. That of an `at` is known. */
function withItsTime({ Target, ...others }: Schedule['Properties']): object {
  const [, at = ''] = /^at\((.+)\)$/.exec(others.ScheduleExpression) ?? [];
  const Input = Target.Input.replace('<aws.scheduler.scheduled-time>', `${at}Z`);
  return { ...others, Target: { ...Target, Input } };
}

/** The emulator has no alarms on the sum of several metrics. */
function withOneMetric({ Metrics, ...others }: Alarm['Properties']): object {
  if (Metrics === undefined) return others;
  const [first] = Metrics.flatMap(({ MetricStat }) => MetricStat ?? []);
  if (first === undefined) throw new Error('An alarm has no metric.');
  const { Metric, Period, Stat } = first;
  return { ...others, ...Metric, Period, Statistic: Stat };
}
