import type { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LIFECYCLE_SOURCE } from '../domain/trigger/event-names.ts';

/** Lets a function tell of rollouts on the bus, and never announce a release there. */
export function grantTell(lambda: IFunction, bus: EventBus): void {
  lambda.addToRolePolicy(
    new PolicyStatement({
      actions: ['events:PutEvents'],
      resources: [bus.eventBusArn],
      conditions: { StringEquals: { 'events:source': LIFECYCLE_SOURCE } },
    }),
  );
}
