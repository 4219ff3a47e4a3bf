import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct, IConstruct } from 'constructs';
import { type AlarmGroup, LEAN, tuningOf } from './tuning.ts';

/**
 * Metrics reach CloudWatch late and in no fixed order, so an alarm that looked only at the newest period would miss
 * late ones. So each alarm looks at this much time, again every minute.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html warns of it.
 */
const LOOK_BACK = Duration.minutes(15);

interface AlarmSpec {
  /** The alarms that it belongs to: all of them are there, or none. */
  readonly group: AlarmGroup;
  /** It stays where only the few are wanted without which nobody would know. @default - it does not */
  readonly isVital?: true;
  /** What happened, and where to find help. */
  readonly description: string;
  readonly metric: Metric | MathExpression;
  /** The smallest sum within a period of the metric at which the alarm rings. @default 1 */
  readonly threshold?: number;
}

/**
 * Adds an alarm that rings when one of the last periods has reached the threshold. It is silent while there is no
 * data. Without its group there is no alarm.
 */
export function addAlarm(scope: Construct, id: string, spec: AlarmSpec): void {
  const { description, metric, threshold = 1 } = spec;
  if (!isWanted(scope, spec)) return;
  new Alarm(scope, id, {
    alarmDescription: description,
    metric,
    threshold,
    evaluationPeriods: LOOK_BACK.toSeconds() / metric.period.toSeconds(),
    datapointsToAlarm: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}

/** Adds an alarm that rings when two whole periods of a metric have counted nothing, or have no data. */
export function addSilenceAlarm(
  scope: Construct,
  id: string,
  spec: Omit<AlarmSpec, 'threshold'>,
): void {
  const { description, metric } = spec;
  if (!isWanted(scope, spec)) return;
  new Alarm(scope, id, {
    alarmDescription: description,
    metric,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    threshold: 1,
    evaluationPeriods: 2,
    treatMissingData: TreatMissingData.BREACHING,
  });
}

function isWanted(
  scope: Construct,
  { group, isVital }: Pick<AlarmSpec, 'group' | 'isVital'>,
): boolean {
  const { alarms } = tuningOf(scope);
  return alarms === LEAN ? isVital === true : alarms?.groups?.includes(group) !== false;
}

/**
 * The sum of several metrics. A metric without data counts as 0. `FILL` would also count a period as 0 whose data is
 * still to come.
 *
 * @param metrics At most 10, because an alarm takes no more.
 */
export function sumMetrics(
  metrics: readonly IMetric[],
  label: string,
  period: Duration,
): MathExpression {
  const named = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  return new MathExpression({
    expression: Object.keys(named).join(' + '),
    usingMetrics: named,
    label,
    period,
  });
}

/** All alarms below a construct, whoever made them. */
export function alarmsWithin(scope: IConstruct): Alarm[] {
  return scope.node.findAll().filter((construct) => construct instanceof Alarm);
}
