import { Duration } from 'aws-cdk-lib';
import { GraphWidget, type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { FUNCTION_METRICS } from '../../contract/functions/metrics.ts';

const PERIOD = Duration.minutes(5);
/** A third of the 24 columns that a dashboard has. */
const THIRD = 8;

/** Shows what is rolling: executions that began and ended. */
export function executionsGraph(stateMachine: IStateMachine): GraphWidget {
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
export function durationGraph(stateMachine: IStateMachine): GraphWidget {
  return graph(
    'How long rollouts took (ms)',
    [50, 99].map((percentile) =>
      stateMachine.metricTime({ period: PERIOD, statistic: Stats.percentile(percentile) }),
    ),
  );
}

/** Shows how far rollouts got, and what failed, by the metrics that the functions write. */
export function countedGraph(title: string, counted: 'calls' | 'errors' | 'rows'): GraphWidget {
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
export function deadLettersGraph(queues: Readonly<Record<string, IQueue>>): GraphWidget {
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

export function slowestCallsGraph(functions: Readonly<Record<string, IFunction>>): GraphWidget {
  return graph(
    'Slowest calls of the functions (ms)',
    Object.entries(functions).map(([label, lambda]) =>
      lambda.metricDuration({ label, period: PERIOD, statistic: Stats.MAXIMUM }),
    ),
  );
}

/** @param others Metrics of the workflow and of the ledger. */
export function throttlesGraph(
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
