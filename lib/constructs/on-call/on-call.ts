import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBusRef } from 'aws-cdk-lib/aws-events';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { Notifications } from '../../contract/config/notifications.ts';
import type { WorkflowFunction } from '../../workflow/functions.ts';
import { tuningOf } from '../blocks/tuning.ts';
import { RolloutAlarms } from './alarms.ts';
import { RolloutDashboard } from './dashboard.ts';
import { RolloutNotifications } from './notifications.ts';

interface OnCallProps {
  readonly name: string;
  /** First part of the names of rules. */
  readonly ruleName: string;
  /** The bus with the lifecycle events. */
  readonly bus: IEventBusRef;
  readonly stateMachine: IStateMachine;
  readonly table: Table;
  /** The functions that the workflow calls. */
  readonly steps: Readonly<Record<WorkflowFunction, LambdaFunction>>;
  readonly functions: Readonly<Record<string, IFunction>>;
  /** Dead-letter queues, by the kind of their letters. */
  readonly queues: Readonly<Record<string, IQueue>>;
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

  /** @param scope All alarms below it are shown on the dashboard and published to the topic. */
  constructor(scope: Construct, id: string, props: OnCallProps) {
    super(scope, id);
    const { name, bus, stateMachine, table, steps, functions, notifications } = props;
    const lambdas = Object.values(steps);
    const { closeRollout } = steps;
    new RolloutAlarms(this, 'Alarms', { stateMachine, table, lambdas, closeRollout });
    const messages =
      notifications &&
      new RolloutNotifications(this, 'Notifications', {
        ...notifications,
        given: props.topic,
        name,
        ruleName: props.ruleName,
        bus,
        alarmsIn: scope,
      });
    this.topic = messages?.topic;
    this.chatTopic = messages?.chatTopic;
    if (!tuningOf(this).dashboard) return;
    new RolloutDashboard(this, 'Dashboard', {
      name,
      stateMachine,
      table,
      functions,
      stepLogs: lambdas.map(({ logGroup }) => logGroup),
      queues: { ...props.queues, ...(messages && { notifications: messages.queue }) },
      alarmsIn: scope,
    });
  }
}
