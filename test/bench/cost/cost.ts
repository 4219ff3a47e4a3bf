/** What one rollout takes, counted. */
export interface Cost {
  /** States entered, those of a Map's iterations and every retry included. */
  readonly transitions: number;
  /** Calls of Lambda functions. */
  readonly invocations: number;
  /** To the service. */
  readonly httpCalls: number;
  /** Events of all executions together. */
  readonly historyEvents: number;
  /** DynamoDB's read and write units. */
  readonly readUnits: number;
  readonly writeUnits: number;
}

/**
 * Dollars, at the list prices of us-east-1: a thousand transitions; a million requests of Lambda and a
 * GB-second on arm64, for functions of 512 MB that run for 1 s; a million read and write units of
 * DynamoDB on demand.
 */
export function dollarsOf(cost: Cost): number {
  const { transitions, invocations, readUnits, writeUnits } = cost;
  const perInvocation = 0.2 / 1e6 + 0.5 * 1 * 0.0000133334;
  return (
    transitions * (0.025 / 1e3) +
    invocations * perInvocation +
    readUnits * (0.125 / 1e6) +
    writeUnits * (0.625 / 1e6)
  );
}
