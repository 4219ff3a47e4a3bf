import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, type RuleProps, type RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { addAlarm } from './alarm.ts';
import type { TriggerQueue } from './dead-letters.ts';

/** How rules and schedules deliver triggers. */
export interface Delivery {
  readonly start: IFunction;
  /** The queue for triggers that cannot be delivered. */
  readonly queue: TriggerQueue;
  /** A trigger that is older than this is not delivered: 1 minute to 1 day. */
  readonly maxAge: Duration;
}

/** Tries after the first one. This is the most that AWS allows, so the age of the trigger ends them. */
export const DELIVERY_RETRIES = 185;

interface TriggerRuleProps extends Delivery {
  readonly rule: RuleProps & { readonly ruleName: string };
  readonly input: RuleTargetInput;
}

/** A rule that sends triggers to the start function, with an alarm for triggers that it cannot deliver. */
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
    // The queue's own metric may be a quarter of an hour late after the queue was idle. This one is not late.
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

/** The metrics of rules on the default bus have no dimension for the bus. */
function dimensionsOf({ ruleName, eventBus }: TriggerRuleProps['rule']): Record<string, string> {
  const busName = eventBus?.eventBusRef.eventBusName ?? 'default';
  return { RuleName: ruleName, ...(busName !== 'default' && { EventBusName: busName }) };
}
