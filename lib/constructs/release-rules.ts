import { EventBus, type IEventBusRef, type RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { ReleaseSource } from '../contract/release-source.ts';
import { LIFECYCLE_SOURCE, RELEASE_EVENT } from '../domain/trigger/event-names.ts';
import { type Delivery, TriggerRule } from './trigger-rule.ts';

export interface ReleaseRulesProps extends Delivery {
  /** First part of the names of the rules. */
  readonly name: string;
  /** Where steproll's own release events come in. */
  readonly bus: IEventBusRef;
  /** Ids of the accounts whose release events count. */
  readonly accounts: readonly string[];
}

/** The rules that hand release events to the start function. */
export class ReleaseRules extends Construct {
  private readonly props: ReleaseRulesProps;

  constructor(scope: Construct, id: string, props: ReleaseRulesProps) {
    super(scope, id);
    this.props = props;
    const { name, bus, accounts, ...delivery } = props;
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

  /** Takes releases from the events of another system too. */
  add({ name, bus: otherBus, pattern }: ReleaseSource): void {
    const { name: prefix, bus, accounts, ...delivery } = this.props;
    const { source = OTHER_SOURCES, 'detail-type': detailType, ...rest } = pattern;
    new TriggerRule(this, `From-${name}`, {
      ...delivery,
      rule: {
        ruleName: `${prefix}-from-${name}`,
        description: `Release events of ${name} start rollouts`,
        eventBus: otherBus === undefined ? bus : importBus(this, name, otherBus),
        eventPattern: { ...rest, source, ...(detailType && { detailType }) } as object,
      },
      input: wholeEvent(name),
    });
  }
}

/** A pattern without a source must not take steproll's own events: rollouts would start rollouts. */
const OTHER_SOURCES = [{ 'anything-but': { prefix: LIFECYCLE_SOURCE } }];

function importBus(scope: Construct, name: string, bus: string): IEventBusRef {
  return bus.startsWith('arn:')
    ? EventBus.fromEventBusArn(scope, `Bus-${name}`, bus)
    : EventBus.fromEventBusName(scope, `Bus-${name}`, bus);
}

/** The event as it came, and which release source it is from. */
function wholeEvent(release: string | null): RuleTargetInput {
  const inputTemplate = `{"trigger":"release","release":${JSON.stringify(release)},"event":<aws.events.event.json>}`;
  return { bind: () => ({ inputTemplate }) };
}
