import { EventBus } from 'aws-cdk-lib/aws-events';
import { AccountPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { RELEASE_EVENT } from '../domain/trigger/event-names.ts';

export interface ReleaseBusProps {
  /**
   * Ids of the other accounts that may send release events, and nothing else. In this account the senders'
   * own permissions decide.
   */
  readonly otherAccounts: readonly string[];
}

/** The event bus that releases are announced on. */
export class ReleaseBus extends Construct {
  readonly bus: EventBus;

  constructor(scope: Construct, id: string, { otherAccounts }: ReleaseBusProps) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', {
      eventBusName: 'steproll',
      description: 'Release events, which start rollouts',
    });
    if (otherAccounts.length === 0) return;
    this.bus.addToResourcePolicy(
      new PolicyStatement({
        sid: 'ReleaseEvents',
        principals: otherAccounts.map((account) => new AccountPrincipal(account)),
        actions: ['events:PutEvents'],
        resources: [this.bus.eventBusArn],
        conditions: {
          StringEquals: {
            'events:source': RELEASE_EVENT.source,
            'events:detail-type': RELEASE_EVENT.detailType,
          },
        },
      }),
    );
  }
}
