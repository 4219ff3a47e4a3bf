/** The metrics that the functions write and the dashboard shows. */
export const FUNCTION_METRICS = {
  namespace: 'steproll',
  service: 'steproll',
  calls: { name: 'calls', dimensions: ['service', 'operation'] },
  errors: { name: 'errors', dimensions: ['service', 'operation', 'error'] },
  rows: { name: 'rows', dimensions: ['service', 'operation', 'result'] },
  /** Rollouts that were closed, by the name of the function that closed them and their outcome. */
  rollouts: { name: 'rollouts', dimensions: ['service', 'operation', 'function', 'outcome'] },
} as const;

/**
 * Counts the rollouts that their executions left open. The functions write it, and an alarm watches it. The name of
 * the state machine keeps several deployments in one account apart.
 */
export const ABANDONED_METRIC = {
  namespace: 'steproll',
  name: 'abandoned',
  service: 'steproll',
} as const;

export function abandonedDimensions(stateMachine: string) {
  return { service: ABANDONED_METRIC.service, stateMachine } as const;
}
