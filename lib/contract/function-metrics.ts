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
