import { Stack } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  AlarmStatusWidgetSortBy,
  Dashboard,
  LogQueryWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct, type IConstruct } from 'constructs';
import { alarmsWithin } from '../blocks/alarm.ts';
import { ledgerThrottles } from './alarms.ts';
import {
  countedGraph,
  deadLettersGraph,
  durationGraph,
  executionsGraph,
  slowestCallsGraph,
  throttlesGraph,
} from './dashboard-graphs.ts';

interface RolloutDashboardProps {
  /** First part of the dashboard's name. */
  readonly name: string;
  readonly stateMachine: IStateMachine;
  readonly table: Table;
  readonly functions: Readonly<Record<string, IFunction>>;
  /** Log groups of the functions that the workflow calls. */
  readonly stepLogs: readonly ILogGroup[];
  /** Dead-letter queues, by the kind of their letters. */
  readonly queues: Readonly<Record<string, IQueue>>;
  /** The dashboard shows the alarms below this construct, even those that are added later. */
  readonly alarmsIn: IConstruct;
}

const WHOLE_WIDTH = 24;

/** One page that shows what is rolling, how far, how long, and what failed. */
export class RolloutDashboard extends Construct {
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, props: RolloutDashboardProps) {
    super(scope, id);
    const { name, stateMachine, table, functions, stepLogs, queues, alarmsIn } = props;
    const throttles = [stateMachine.metricThrottled(), ...ledgerThrottles(table)];
    this.dashboard = new Dashboard(this, 'Dashboard', {
      // The name has the region, because all regions of an account share their dashboards.
      dashboardName: `${name}-${Stack.of(this).region}`,
      widgets: [
        [new TextWidget({ markdown: DASHBOARD_TEXT, width: WHOLE_WIDTH, height: 5 })],
        [alarmsWidget(alarmsIn)],
        [
          executionsGraph(stateMachine),
          countedGraph('What the rollouts are doing: calls', 'calls'),
          durationGraph(stateMachine),
        ],
        [
          countedGraph('How far: endpoints written to, by result', 'rows'),
          countedGraph('What failed: calls, by error', 'errors'),
          deadLettersGraph(queues),
        ],
        [slowestCallsGraph(functions), throttlesGraph(functions, throttles)],
        [failedStepsWidget(stepLogs)],
      ],
    });
  }
}

function alarmsWidget(scope: IConstruct): AlarmStatusWidget {
  return new AlarmStatusWidget({
    width: WHOLE_WIDTH,
    height: 4,
    sortBy: AlarmStatusWidgetSortBy.STATE_UPDATED_TIMESTAMP,
    // This is read at synthesis, because triggers may add alarms until then.
    get alarms() {
      return alarmsWithin(scope);
    },
  });
}

function failedStepsWidget(logGroups: readonly ILogGroup[]): LogQueryWidget {
  return new LogQueryWidget({
    title: 'Failed steps',
    width: WHOLE_WIDTH,
    height: 6,
    logGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
    queryLines: [
      'fields @timestamp, runtimeId, rolloutId, operation, error',
      'filter outcome = "failed"',
      'sort @timestamp desc',
      'limit 50',
    ],
  });
}

/** The text at the top of the dashboard, in Markdown. */
const DASHBOARD_TEXT = `# Rollouts

1. **Does something ring?** The text of each alarm names the section of docs/runbook.md that helps.
2. **Is something rolling?** Calls of *checkWave* are looks at a wave: without them nothing rolls.
3. **Did a rollout fail?** Its execution says why: the error's cause is the outcome's sentence. *Failed steps* has the errors on the way there.
4. **Are there dead letters?** Each is a trigger that started nothing, an execution that was not cleaned up after, or a notification that was not sent.

Writes and errors are those of every deployment in this account and region.`;
