import { Duration, Stack } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  AlarmStatusWidgetSortBy,
  Dashboard,
  GraphWidget,
  type IMetric,
  LogQueryWidget,
  MathExpression,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct, type IConstruct } from 'constructs';
import { FUNCTION_METRICS } from '../../contract/functions/metrics.ts';
import { alarmsWithin } from '../resources/alarm.ts';
import { ledgerThrottles, type WatchedResources } from './alarms.ts';

interface RolloutDashboardProps extends WatchedResources {
  /** First part of the dashboard's name. */
  readonly name: string;
  /** The dashboard shows the alarms below this construct, even those that are added later. */
  readonly alarmsIn: IConstruct;
}

const WHOLE_WIDTH = 24;

/** One page that shows what is rolling, how far, how long, and what failed. */
export class RolloutDashboard extends Construct {
  constructor(scope: Construct, id: string, props: RolloutDashboardProps) {
    super(scope, id);
    const { name, stateMachine, table, steps, functions, queues, alarmsIn } = props;
    const stepLogs = Object.values(steps).map(({ logGroup }) => logGroup);
    const throttles = [stateMachine.metricThrottled(), ...ledgerThrottles(table)];
    new Dashboard(this, 'Dashboard', {
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

const PERIOD = Duration.minutes(5);
/** A third of the 24 columns that a dashboard has. */
const THIRD = 8;

/** Shows what is rolling: executions that began and ended. */
function executionsGraph(stateMachine: IStateMachine): GraphWidget {
  const of = { period: PERIOD };
  return graph('Rollouts', [
    stateMachine.metricStarted({ ...of, label: 'started' }),
    stateMachine.metricSucceeded({ ...of, label: 'succeeded' }),
    stateMachine.metricFailed({ ...of, label: 'failed' }),
    stateMachine.metricTimedOut({ ...of, label: 'timed out' }),
    stateMachine.metricAborted({ ...of, label: 'stopped' }),
  ]);
}

/** Shows how long rollouts take. */
function durationGraph(stateMachine: IStateMachine): GraphWidget {
  return graph(
    'How long rollouts took (ms)',
    [50, 99].map((percentile) =>
      stateMachine.metricTime({ period: PERIOD, statistic: Stats.percentile(percentile) }),
    ),
  );
}

/** Shows how far rollouts got, and what failed, by the metrics that the functions write. */
function countedGraph(title: string, counted: 'calls' | 'errors' | 'rows'): GraphWidget {
  const { namespace } = FUNCTION_METRICS;
  const { name, dimensions } = FUNCTION_METRICS[counted];
  const shown = dimensions.filter((dimension) => dimension !== 'service');
  const search = `{${[namespace, ...dimensions].join(',')}} MetricName="${name}"`;
  return graph(title, [
    new MathExpression({
      // A search is needed, because the names of the errors are not known in advance.
      expression: `SEARCH('${search}', 'Sum', ${PERIOD.toSeconds()})`,
      label: shown.map((dimension) => `\${PROP('Dim.${dimension}')}`).join(' '),
      period: PERIOD,
    }),
  ]);
}

/** Shows the letters that wait for a person, and for how long. */
function deadLettersGraph(queues: Readonly<Record<string, IQueue>>): GraphWidget {
  const all = Object.entries(queues);
  return new GraphWidget({
    title: 'Dead letters, and the age of the oldest (s)',
    width: THIRD,
    left: all.map(([label, queue]) =>
      queue.metricApproximateNumberOfMessagesVisible({ label, period: PERIOD }),
    ),
    right: all.map(([label, queue]) =>
      queue.metricApproximateAgeOfOldestMessage({ label: `${label}: age`, period: PERIOD }),
    ),
  });
}

function slowestCallsGraph(functions: Readonly<Record<string, IFunction>>): GraphWidget {
  return graph(
    'Slowest calls of the functions (ms)',
    Object.entries(functions).map(([label, lambda]) =>
      lambda.metricDuration({ label, period: PERIOD, statistic: Stats.MAXIMUM }),
    ),
  );
}

/** @param others Metrics of the workflow and of the ledger. */
function throttlesGraph(
  functions: Readonly<Record<string, IFunction>>,
  others: readonly IMetric[],
): GraphWidget {
  const ofFunctions = Object.entries(functions).map(([label, lambda]) =>
    lambda.metricThrottles({ label, period: PERIOD }),
  );
  return graph('Throttled by AWS', [...ofFunctions, ...others]);
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, width: THIRD, left });
}

/** The text at the top of the dashboard, in Markdown. */
const DASHBOARD_TEXT = `# Rollouts

1. **Does something ring?** The text of each alarm names the section of docs/runbook.md that helps.
2. **Is something rolling?** Calls of *look* are looks at a wave: without them nothing rolls.
3. **Did a rollout fail?** Its execution says why: the error's cause is the outcome's sentence. *Failed steps* has the errors on the way there.
4. **Are there dead letters?** Each is a trigger that started nothing, an execution that was not cleaned up after, or a notification that was not sent.

Writes and errors are those of every deployment in this account and region.`;
