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

/** List prices of us-east-1, in dollars. */
export const PRICES = {
  transition: 0.025 / 1e3,
  /** A request of Lambda, and what a function of 512 MB on arm64 takes in 1 s. */
  invocation: 0.2 / 1e6 + 0.5 * 1 * 0.0000133334,
  /** Of DynamoDB on demand. */
  readUnit: 0.125 / 1e6,
  writeUnit: 0.625 / 1e6,
} as const;

export function dollarsOf(cost: Cost): number {
  const { transitions, invocations, readUnits, writeUnits } = cost;
  return (
    transitions * PRICES.transition +
    invocations * PRICES.invocation +
    readUnits * PRICES.readUnit +
    writeUnits * PRICES.writeUnit
  );
}
