import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  type IMetric,
  MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct, IConstruct } from 'constructs';

/**
 * What is counted reaches CloudWatch late, and a later count may be there first: an alarm that looked at the
 * newest period alone would not see what comes after it. So long a time is looked at, again every minute.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html warns of it.
 */
const LOOK_BACK = Duration.minutes(15);

interface AlarmSpec {
  /** What happened, and where help is. */
  readonly description: string;
  readonly metric: Metric | MathExpression;
  /** Rings from so many within a period of the metric on. @default 1 */
  readonly threshold?: number;
}

/** Rings when one of the last periods has reached the threshold, and is still while there is no data. */
export function addAlarm(scope: Construct, id: string, spec: AlarmSpec): void {
  const { description, metric, threshold = 1 } = spec;
  new Alarm(scope, id, {
    alarmDescription: description,
    metric,
    threshold,
    evaluationPeriods: LOOK_BACK.toSeconds() / metric.period.toSeconds(),
    datapointsToAlarm: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}

/**
 * The sum of several metrics, in which one without data counts as 0. `FILL` would say that of a period whose
 * data is still to come, too.
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
