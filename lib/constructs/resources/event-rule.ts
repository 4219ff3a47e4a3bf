import { Duration, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, type RuleProps, type RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Function as AnyFunction, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { addAlarm } from './alarm.ts';
import type { TriggerQueue } from './dead-letters.ts';

/** How rules and schedules deliver triggers. */
export interface RuleTarget {
  readonly start: IFunction;
  /** The queue for triggers that cannot be delivered. */
  readonly queue: Pick<TriggerQueue, 'forTargets' | 'takeFrom'>;
  /** A trigger that is older than this is not delivered: 1 minute to 1 day. */
  readonly maxAge: Duration;
}

/** Tries after the first one. This is the most that AWS allows, so the age of the trigger ends them. */
export const DELIVERY_RETRIES = 185;

interface TriggerRuleProps extends RuleTarget {
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
      group: 'triggers',
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

/**
 * The same delivery for many rules of the default bus that have one permission together. With one for each, some forty
 * rules would fill the policy of the function, which holds 20 KB.
 *
 * @param ruleNames Matches the names of these rules and of no others: `steproll-from-agentcore.*`.
 */
export function deliverTogether(
  scope: Construct,
  ruleNames: string,
  delivery: RuleTarget,
): RuleTarget {
  const { start, queue } = delivery;
  const ruleArn = Stack.of(scope).formatArn({
    service: 'events',
    resource: 'rule',
    resourceName: ruleNames,
  });
  start.addPermission(`Allow-${ruleNames}`, {
    principal: new ServicePrincipal('events.amazonaws.com'),
    sourceArn: ruleArn,
  });
  queue.takeFrom({ ruleArn });
  const { functionArn } = start;
  return {
    ...delivery,
    start: AnyFunction.fromFunctionAttributes(scope, `Start-${ruleNames}`, {
      functionArn,
      sameEnvironment: false,
      skipPermissions: true,
    }),
    queue: { forTargets: queue.forTargets, takeFrom: () => undefined },
  };
}

/** The metrics of rules on the default bus have no dimension for the bus. */
function dimensionsOf({ ruleName, eventBus }: TriggerRuleProps['rule']): Record<string, string> {
  const busName = eventBus?.eventBusRef.eventBusName ?? 'default';
  return { RuleName: ruleName, ...(busName !== 'default' && { EventBusName: busName }) };
}
