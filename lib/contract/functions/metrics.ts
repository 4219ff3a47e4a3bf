/** What the functions count: written by them, shown by the dashboard. */
export const FUNCTION_METRICS = {
  namespace: 'steproll',
  service: 'steproll',
  /** Calls of a function. */
  calls: { name: 'calls', dimensions: ['service', 'operation'] },
  /** Calls that failed, by the name of the error. */
  errors: { name: 'errors', dimensions: ['service', 'operation', 'error'] },
  /** Endpoints, by what became of the write to each. */
  rows: { name: 'rows', dimensions: ['service', 'operation', 'result'] },
  /** Rollouts that were closed, by the name of the function that closed them and their outcome. */
  rollouts: { name: 'rollouts', dimensions: ['service', 'operation', 'function', 'outcome'] },
} as const;

/**
 * Counts the rollouts that their executions left open: written by the functions, watched by an alarm.
 * The state machine tells several deployments in one account apart.
 */
export const ABANDONED_METRIC = {
  namespace: 'steproll',
  name: 'abandoned',
  service: 'steproll',
} as const;

/** The metric's dimensions. */
export function abandonedDimensions(stateMachine: string) {
  return { service: ABANDONED_METRIC.service, stateMachine } as const;
}
