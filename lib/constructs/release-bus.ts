import { EventBus } from 'aws-cdk-lib/aws-events';
import { AccountPrincipal, Grant, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { RELEASE_EVENT } from '../domain/trigger/event-names.ts';

export interface ReleaseBusProps {
  /** Of the event bus. */
  readonly name: string;
  /**
   * Ids of the other accounts that may send release events, and nothing else. In this account the senders'
   * own permissions decide.
   */
  readonly otherAccounts: readonly string[];
}

const ONLY_RELEASES = {
  StringEquals: {
    'events:source': RELEASE_EVENT.source,
    'events:detail-type': RELEASE_EVENT.detailType,
  },
};

/** The event bus that releases are announced on. */
export class ReleaseBus extends Construct {
  readonly bus: EventBus;

  constructor(scope: Construct, id: string, { name, otherAccounts }: ReleaseBusProps) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', {
      eventBusName: name,
      description: 'Release events, which start rollouts',
    });
    if (otherAccounts.length === 0) return;
    this.bus.addToResourcePolicy(
      new PolicyStatement({
        sid: 'ReleaseEvents',
        principals: otherAccounts.map((account) => new AccountPrincipal(account)),
        actions: ['events:PutEvents'],
        resources: [this.bus.eventBusArn],
        conditions: ONLY_RELEASES,
      }),
    );
  }

  /** Lets somebody in this account send release events, and nothing else. */
  grantRelease(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({
      grantee,
      actions: ['events:PutEvents'],
      resourceArns: [this.bus.eventBusArn],
      conditions: ONLY_RELEASES,
    });
  }
}
