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
