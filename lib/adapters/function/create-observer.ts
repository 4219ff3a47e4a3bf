import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Context } from 'aws-lambda';
import { errorNameOf } from '../../domain/errors.ts';
import { subjectOf } from './call-subject.ts';
import { countRows } from './count-rows.ts';

const NAME = 'steproll';

export interface FunctionCall {
  readonly event: unknown;
  /** @default - the line has neither the request's id nor whether it was a cold start */
  readonly context: Context | undefined;
}

/** Does the work of a call, and answers or throws what the work does. */
export type Observer = <T>(call: FunctionCall, work: () => Promise<T>) => Promise<T>;

/**
 * Writes one line to the log for each call of a function, and counts calls, errors by name and
 * endpoints by result. Of the event only the ids of runtime and rollout are told; of an error its
 * name: a message may quote what the service answered.
 *
 * @param operation What the function does, such as `list` or `checkWave`.
 */
export function createObserver(operation: string): Observer {
  const logger = new Logger({ serviceName: NAME });
  const metrics = new Metrics({
    namespace: NAME,
    serviceName: NAME,
    defaultDimensions: { operation },
  });
  const count = (metric: string, number: number, dimension: string, value: string) =>
    metrics
      .singleMetric()
      .addDimension(dimension, value)
      .addMetric(metric, MetricUnit.Count, number);

  return async (call, work) => {
    const startedAt = performance.now();
    const line = () => ({
      operation,
      ...subjectOf(call.event),
      durationMs: Math.round(performance.now() - startedAt),
    });
    if (call.context !== undefined) logger.addContext(call.context);
    metrics.addMetric('calls', MetricUnit.Count, 1);
    metrics.publishStoredMetrics();
    const answer = await work().catch((thrown: unknown) => {
      const error = errorNameOf(thrown);
      logger.error(`${operation} failed`, { ...line(), outcome: 'failed', error });
      count('errors', 1, 'error', error);
      throw thrown;
    });
    const rows = countRows(answer);
    logger.info(`${operation} succeeded`, {
      ...line(),
      outcome: 'succeeded',
      ...(rows.length > 0 && { rows: Object.fromEntries(rows) }),
    });
    for (const [result, number] of rows) count('rows', number, 'result', result);
    return answer;
  };
}
