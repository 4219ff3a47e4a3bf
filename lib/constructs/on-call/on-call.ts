import type { IEventBusRef } from 'aws-cdk-lib/aws-events';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Notifications } from '../../contract/config/notifications.ts';
import { tuningOf } from '../resources/tuning.ts';
import { RolloutAlarms, type WatchedResources } from './alarms.ts';
import { RolloutDashboard } from './dashboard.ts';
import { RolloutNotifications } from './notifications.ts';

interface OnCallProps extends WatchedResources {
  readonly name: string;
  /** First part of the names of rules. */
  readonly ruleName: string;
  /** The bus with the lifecycle events. */
  readonly bus: IEventBusRef;
  /** @default - nobody gets messages */
  readonly notifications?: Notifications | undefined;
  /** The topic of one's own, where it was given as an object. @default - there is none, or its ARN alone */
  readonly topic?: ITopic | undefined;
}

/** Everything for the people on call: alarms, a dashboard and, if wanted, notifications. */
export class OnCall extends Construct {
  /** Gets notifications and alarms. */
  readonly topic: ITopic | undefined;
  /** Gets them in the form of AWS's chat integration. */
  readonly chatTopic: ITopic | undefined;
  /** Notifications that were not delivered. */
  readonly queue: IQueue | undefined;

  /** @param scope All alarms below it are shown on the dashboard and published to the topic. */
  constructor(scope: Construct, id: string, props: OnCallProps) {
    super(scope, id);
    const { notifications, topic: given, queues, ...watched } = props;
    const { name, ruleName, bus } = props;
    new RolloutAlarms(this, 'Alarms', props);
    const messages =
      notifications &&
      new RolloutNotifications(this, 'Notifications', {
        ...notifications,
        ...{ given, name, ruleName, bus },
        alarmsIn: scope,
      });
    this.topic = messages?.topic;
    this.chatTopic = messages?.chatTopic;
    this.queue = messages?.queue;
    if (!tuningOf(this).dashboard) return;
    new RolloutDashboard(this, 'Dashboard', {
      ...watched,
      queues: { ...queues, ...(messages && { notifications: messages.queue }) },
      alarmsIn: scope,
    });
  }
}
