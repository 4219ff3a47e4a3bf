import { Stack } from 'aws-cdk-lib';
import {
  EventBus,
  type EventPattern,
  type IEventBusRef,
  type RuleTargetInput,
} from 'aws-cdk-lib/aws-events';
import { AccountPrincipal, Grant, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { ReleaseSource } from '../../contract/config/releases.ts';
import { agentcoreUpdatePatterns } from '../../contract/flow/agentcore-update.ts';
import type { AgentCoreResource } from '../../contract/service/services.ts';
import { LIFECYCLE_SOURCE, RELEASE_EVENT } from '../../domain/trigger/release.ts';
import { deliverTogether, type RuleTarget, TriggerRule } from '../resources/event-rule.ts';

interface ReleaseRulesProps extends RuleTarget {
  /** First part of the names of the rules. */
  readonly name: string;
  /** The bus that gets steproll's own release events. */
  readonly bus: IEventBusRef;
  /** Ids of the accounts whose release events count. */
  readonly accounts: readonly string[];
  /** What AgentCore has those of. */
  readonly of: AgentCoreResource;
  /** Ids of the runtimes that may be rolled. */
  readonly runtimes: readonly string[];
}

/** The rules that send release events to the start function. */
export class ReleaseRules extends Construct {
  private readonly props: ReleaseRulesProps;

  constructor(scope: Construct, id: string, props: ReleaseRulesProps) {
    super(scope, id);
    this.props = props;
    const { name, bus, accounts, of, runtimes, ...delivery } = props;
    new TriggerRule(this, 'Published', {
      ...delivery,
      rule: {
        ruleName: `${name}-release-published`,
        description: 'Release events of steproll start rollouts',
        eventBus: bus,
        eventPattern: {
          source: [RELEASE_EVENT.source],
          detailType: [RELEASE_EVENT.detailType],
          account: [...accounts],
        },
      },
      input: wholeEvent(null),
    });
  }

  /**
   * Also takes releases from the events of another system.
   *
   * @param given The bus that the release names, where it was given. @default - it is imported
   */
  add(release: ReleaseSource, given?: IEventBusRef): void {
    const { name } = release;
    if (release.kind === 'agentcore') {
      const patterns = agentcoreUpdatePatterns(
        this.props.of,
        this.props.runtimes,
        Stack.of(this).account,
      );
      const [first, ...others] = patterns;
      if (first !== undefined) this.addRule(name, name, first);
      if (others.length === 0) return;
      // No name of a source has a dot, so no other rule has such a name.
      const together = deliverTogether(this, `${this.props.name}-from-${name}.*`, this.props);
      others.forEach((pattern, index) => {
        this.addRule(`${name}.${index + 2}`, name, pattern, { delivery: together });
      });
      return;
    }
    const { bus, pattern } = release;
    const { source = OTHER_SOURCES, 'detail-type': detailType, ...rest } = pattern;
    const eventBus = given ?? (bus === undefined ? this.props.bus : importBus(this, name, bus));
    const eventPattern = { ...rest, source, ...(detailType && { detailType }) } as object;
    this.addRule(name, name, eventPattern, { eventBus });
  }

  /**
   * @param options.eventBus @default - the account's own, on which the events of AWS come
   * @param options.delivery @default - with permissions of the rule's own
   */
  private addRule(
    id: string,
    release: string,
    eventPattern: EventPattern,
    { eventBus, delivery = this.props }: { eventBus?: IEventBusRef; delivery?: RuleTarget } = {},
  ): void {
    const { name: prefix } = this.props;
    const { start, queue, maxAge } = delivery;
    new TriggerRule(this, `From-${id}`, {
      ...{ start, queue, maxAge },
      rule: {
        ruleName: `${prefix}-from-${id}`,
        description: `Release events of ${release} start rollouts`,
        ...(eventBus && { eventBus }),
        eventPattern,
      },
      input: wholeEvent(release),
    });
  }
}

/** A pattern without a source must not match steproll's own events, because then rollouts would start rollouts. */
const OTHER_SOURCES = [{ 'anything-but': { prefix: LIFECYCLE_SOURCE } }];

function importBus(scope: Construct, name: string, bus: string): IEventBusRef {
  return bus.startsWith('arn:')
    ? EventBus.fromEventBusArn(scope, `Bus-${name}`, bus)
    : EventBus.fromEventBusName(scope, `Bus-${name}`, bus);
}

/** The unchanged event, and the name of its release source. */
function wholeEvent(release: string | null): RuleTargetInput {
  const inputTemplate = `{"trigger":"release","release":${JSON.stringify(release)},"event":<aws.events.event.json>}`;
  return { bind: () => ({ inputTemplate }) };
}

interface ReleaseBusProps {
  readonly name: string;
  /**
   * Ids of the other accounts that may send release events, and nothing else. In this account the permissions of the
   * senders decide.
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

  /** Lets a role or user of this account send release events, and nothing else. */
  grantRelease(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({
      grantee,
      actions: ['events:PutEvents'],
      resourceArns: [this.bus.eventBusArn],
      conditions: ONLY_RELEASES,
    });
  }
}
