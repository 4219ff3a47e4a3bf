import type { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';

/**
 * One metric for several that are only there when something happens.
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
    // A metric without data would make the sum one without data.
    expression: Object.keys(named)
      .map((name) => `FILL(${name}, 0)`)
      .join(' + '),
    usingMetrics: named,
    label,
    period,
  });
}
