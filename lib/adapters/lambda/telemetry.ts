import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Context } from 'aws-lambda';
import {
  ABANDONED_METRIC,
  abandonedDimensions,
  FUNCTION_METRICS,
} from '../../contract/functions/metrics.ts';
import type { WriteResult } from '../../domain/endpoint/journal.ts';
import { errorNameOf } from '../../domain/errors.ts';
import { OUTCOME_KINDS, type Outcome, type OutcomeKind } from '../../domain/rollout/outcome.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';

const { namespace, service: serviceName, calls, errors, rows, rollouts } = FUNCTION_METRICS;

export interface FunctionCall {
  readonly event: unknown;
  /** @default - the line has neither the id of the request nor whether it was a cold start */
  readonly context: Context | undefined;
}

/** Does the work of a call, and answers and throws what the work does. */
export type Observer = <T>(call: FunctionCall, work: () => Promise<T>) => Promise<T>;

/**
 * Writes one line to the log for each call of a function, and counts calls, errors by name, endpoints by result and
 * rollouts by outcome. From the event and the answer it logs only the ids of runtime and rollout, and why a trigger
 * started nothing. From an error it logs only the name, because the message may quote the service's answer.
 *
 * @param operation Name of the function's work, such as `list` or `look`.
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
      // The start function learns from its own answer which rollout it is about.
      ...subjectOf(answer),
      outcome: 'succeeded',
      ...duplicateIn(answer),
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

interface CallSubject {
  readonly runtimeId?: string;
  readonly rolloutId?: string;
}

/** The keys of an event under which the workflow and pipelines put the ids. */
const PLACES = ['input', 'position', 'batch'] as const;

/** The runtime and the rollout of an event, if it names them. The event is not checked yet. */
export function subjectOf(event: unknown): CallSubject {
  // The name of an execution that was handed over to is not the id of its rollout.
  const handedOver = fieldOf(fieldOf(event, 'input'), 'position');
  const places = [handedOver, event, ...PLACES.map((key) => fieldOf(event, key))];
  const first = (key: string) => places.map((place) => fieldOf(place, key)).find(isId);
  const runtimeId = first('runtimeId');
  const rolloutId = first('rolloutId');
  return {
    ...(runtimeId !== undefined && { runtimeId }),
    ...(rolloutId !== undefined && { rolloutId }),
  };
}

function fieldOf(object: unknown, key: string): unknown {
  return typeof object === 'object' && object !== null && Object.hasOwn(object, key)
    ? (object as Record<string, unknown>)[key]
    : undefined;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 256;
}

const RESULTS = [
  'accepted',
  'rejected',
  'unknown',
  'not-sent',
  'kept',
] as const satisfies WriteResult[];

/**
 * How many endpoints had each result, from the answer of `roll` or `stop`: rows for a pipeline, counts for the
 * workflow. Other answers have none.
 */
export function countRows(answer: unknown): [result: string, count: number][] {
  const count = Array.isArray(answer)
    ? (result: string) => answer.filter((row) => row?.result === result).length
    : (result: string) => Object(answer)[result];
  return RESULTS.map((result): [string, number] => [result, count(result)]).filter(
    ([, number]) => number > 0,
  );
}

/** The outcome in the answer of a function that closes a rollout. Other answers have none. */
function outcomeIn(answer: unknown): OutcomeKind | undefined {
  const { outcome } = Object(answer) as { readonly outcome?: unknown };
  return OUTCOME_KINDS.find((kind) => kind === outcome);
}

/** What the start function says of a trigger whose rollout was started before. */
function duplicateIn(answer: unknown): { readonly result?: string; readonly why?: string } {
  const { result, message } = Object(answer) as Readonly<Record<string, unknown>>;
  return result === 'duplicate' ? { result, why: String(message) } : {};
}

/**
 * Writes a line to the log for each rollout that its execution left open, and counts it. The outcome's message is
 * only in the ledger.
 */
export function createAbandonedReport(
  stateMachineArn: string,
): (request: AskedRequest, outcome: Outcome) => void {
  const { namespace, name, service } = ABANDONED_METRIC;
  const stateMachineName = stateMachineArn.split(':').at(-1) ?? '';
  const { stateMachine } = abandonedDimensions(stateMachineName);
  const logger = new Logger({ serviceName: service });
  const metrics = new Metrics({
    namespace,
    serviceName: service,
    defaultDimensions: { stateMachine },
  });
  return ({ rolloutId, runtimeId }, { outcome, reason, cleanup }) => {
    logger.warn('closed a rollout that its execution left open', {
      rolloutId,
      runtimeId,
      outcome,
      reason,
      cleanup,
    });
    metrics.addMetric(name, MetricUnit.Count, 1);
    metrics.publishStoredMetrics();
  };
}
