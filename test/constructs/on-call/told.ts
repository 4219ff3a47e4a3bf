import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { createEventBridgeBus } from '../../../lib/adapters/events/event-bridge-bus.ts';
import { EndpointRollouts } from '../../../lib/constructs/endpoint-rollouts.ts';
import type { Notifications } from '../../../lib/contract/config/notifications.ts';
import type { OpenBus } from '../../../lib/ports/event-bus.ts';
import { createApp } from '../../support/create-app.ts';
import { takes } from '../../support/event-pattern.ts';

type Published = Parameters<OpenBus['publish']>[0];

/** What the topics of a deployment with these notifications get of events, as JSON that EventBridge hands on. */
export interface Told {
  readonly sentences: unknown[];
  readonly chat: unknown[];
  /** The size of each event on the bus, in bytes. */
  readonly bytes: number[];
}

interface Target {
  readonly Arn: { readonly Ref: string };
  readonly InputPath: string;
}

/** Publishes events as the functions of a stack with this name do, and delivers them as its rule says. */
export async function tellOnAws(
  notifications: Notifications,
  events: readonly Published[],
  stackName = 'Steproll-prod',
): Promise<Told> {
  const { EventPattern, Targets } = ruleOf(notifications);
  const told: Told = { sentences: [], chat: [], bytes: [] };
  const bus = createEventBridgeBus({
    ...{ eventBusName: 'steproll', stackName },
    async putEvent({ Source, DetailType, Detail = '' }) {
      told.bytes.push(Buffer.byteLength(Detail));
      const event = { source: Source, 'detail-type': DetailType, detail: JSON.parse(Detail) };
      if (!takes(EventPattern, event)) return { FailedEntryCount: 0 };
      for (const { Arn, InputPath } of Targets) {
        told[/Chat/.test(Arn.Ref) ? 'chat' : 'sentences'].push(valueAt(InputPath, event));
      }
      return { FailedEntryCount: 0 };
    },
  });
  for (const event of events) await bus.publish(event);
  return told;
}

function valueAt(path: string, event: unknown): unknown {
  const keys = path.replace(/^\$\./, '').split('.');
  return keys.reduce((value: unknown, key) => Object(value)[key], event);
}

const rules = new Map<string, { EventPattern: unknown; Targets: readonly Target[] }>();

function ruleOf(notifications: Notifications) {
  const key = JSON.stringify(notifications);
  const known = rules.get(key);
  if (known !== undefined) return known;
  const app = createApp({ context: { 'aws:cdk:bundling-stacks': [] } });
  const stack = new Stack(app, 'Stack');
  new EndpointRollouts(stack, 'Rollouts', {
    endpointUrl: 'https://endpoints.example.com',
    runtimes: { shop: {} },
    notifications,
  });
  const all = Template.fromStack(stack).findResources('AWS::Events::Rule');
  const [rule] = Object.values(all)
    .map(({ Properties }) => Properties)
    .filter(({ Name }) => Name === 'steproll-notifications');
  rules.set(key, rule);
  return rule;
}
