import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Context } from 'aws-lambda';
import { FUNCTION_METRICS } from '../../contract/function-metrics.ts';
import { errorNameOf } from '../../domain/errors.ts';
import { subjectOf } from './call-subject.ts';
import { countRows } from './count-rows.ts';
import { outcomeIn } from './outcome-in.ts';

const { namespace, service: serviceName, calls, errors, rows, rollouts } = FUNCTION_METRICS;

export interface FunctionCall {
  readonly event: unknown;
  /** @default - the line has neither the request's id nor whether it was a cold start */
  readonly context: Context | undefined;
}

/** Does the work of a call, and answers or throws what the work does. */
export type Observer = <T>(call: FunctionCall, work: () => Promise<T>) => Promise<T>;

/**
 * Writes one line to the log for each call of a function, and counts calls, errors by name,
 * endpoints by result and rollouts by outcome. Of event and answer only the ids of runtime and rollout are told; of an error its
 * name: a message may quote what the service answered.
 *
 * @param operation What the function does, such as `list` or `checkWave`.
 */
export function createObserver(operation: string): Observer {
  const logger = new Logger({ serviceName });
  const metrics = new Metrics({
    namespace,
    serviceName,
    defaultDimensions: { operation },
  });
  const count = (metric: string, number: number, dimensions: Readonly<Record<string, string>>) =>
    metrics.singleMetric().addDimensions(dimensions).addMetric(metric, MetricUnit.Count, number);

  return async (call, work) => {
    const startedAt = performance.now();
    const line = () => ({
      operation,
      ...subjectOf(call.event),
      durationMs: Math.round(performance.now() - startedAt),
    });
    if (call.context !== undefined) logger.addContext(call.context);
    metrics.addMetric(calls.name, MetricUnit.Count, 1);
    metrics.publishStoredMetrics();
    const answer = await work().catch((thrown: unknown) => {
      const error = errorNameOf(thrown);
      logger.error(`${operation} failed`, { ...line(), outcome: 'failed', error });
      count(errors.name, 1, { error });
      throw thrown;
    });
    const counts = countRows(answer);
    logger.info(`${operation} succeeded`, {
      ...line(),
      // The start function learns only by its work which rollout it is about.
      ...subjectOf(answer),
      outcome: 'succeeded',
      ...(counts.length > 0 && { rows: Object.fromEntries(counts) }),
    });
    for (const [result, number] of counts) count(rows.name, number, { result });
    const outcome = outcomeIn(answer);
    if (outcome !== undefined && call.context !== undefined) {
      count(rollouts.name, 1, { function: call.context.functionName, outcome });
    }
    return answer;
  };
}
