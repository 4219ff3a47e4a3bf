import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, type RuleProps, type RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { addAlarm } from './alarm.ts';
import type { TriggerQueue } from './dead-letters.ts';

/** How triggers are delivered, by rules and by schedules alike. */
export interface Delivery {
  /** The start function. */
  readonly start: IFunction;
  /** Takes what cannot be delivered. */
  readonly queue: TriggerQueue;
  /** A trigger that is older is not delivered: 1 minute to 1 day. */
  readonly maxAge: Duration;
}

/** Tries after the first, the most that AWS allows: it is the age that ends them. */
export const DELIVERY_RETRIES = 185;

interface TriggerRuleProps extends Delivery {
  readonly rule: RuleProps & { readonly ruleName: string };
  /** What the start function gets. */
  readonly input: RuleTargetInput;
}

/** A rule that hands triggers to the start function, with an alarm for those it cannot hand over. */
export class TriggerRule extends Construct {
  constructor(scope: Construct, id: string, { rule, input, ...delivery }: TriggerRuleProps) {
    super(scope, id);
    const created = new Rule(this, 'Rule', {
      ...rule,
      targets: [
        new LambdaFunction(delivery.start, {
          event: input,
          deadLetterQueue: delivery.queue.forTargets,
          maxEventAge: delivery.maxAge,
          retryAttempts: DELIVERY_RETRIES,
        }),
      ],
    });
    delivery.queue.takeFrom(created);
    // The queue's own metric may be a quarter of an hour late after it was idle; this one is not.
    addAlarm(this, 'Failed', {
      description: `The rule ${rule.ruleName} could not call the start function: docs/runbook.md, "A trigger started nothing"`,
      metric: new Metric({
        namespace: 'AWS/Events',
        metricName: 'FailedInvocations',
        dimensionsMap: dimensionsOf(rule),
        statistic: 'Sum',
        period: Duration.minutes(1),
      }),
    });
  }
}

/** Rules of the default bus are counted without its name. */
function dimensionsOf({ ruleName, eventBus }: TriggerRuleProps['rule']): Record<string, string> {
  const busName = eventBus?.eventBusRef.eventBusName ?? 'default';
  return { RuleName: ruleName, ...(busName !== 'default' && { EventBusName: busName }) };
}
