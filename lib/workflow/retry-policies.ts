import { ErrorName } from '../domain/errors.ts';

/**
 * Lambda's own failures that say nothing about our code, from AWS's advice for Lambda tasks
 * (https://docs.aws.amazon.com/step-functions/latest/dg/sfn-best-practices.html), and throttling.
 */
const LAMBDA_TRANSIENT = [
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.TooManyRequestsException',
];

/** Errors of our own that a second run may not meet again. */
const OWN_TRANSIENT: readonly string[] = [ErrorName.LedgerUnavailable];

/**
 * Whatever else we throw, we throw knowingly: the step has had its patience with the service, and a second
 * run would find the same, or come earlier than the service asked for.
 */
const KNOWN_TO_LAST = {
  ErrorEquals: Object.values(ErrorName).filter((name) => !OWN_TRANSIENT.includes(name)),
  MaxAttempts: 0,
} as const;

const PATIENT = {
  IntervalSeconds: 2,
  BackoffRate: 2,
  MaxAttempts: 6,
  MaxDelaySeconds: 30,
  JitterStrategy: 'FULL',
} as const;

/**
 * For steps that only read the service: they may run twice, so what is none of our own errors is tried again.
 * A function that crashed or ran out of time has many names (`Lambda.Unknown`, `Sandbox.Timedout`,
 * `Runtime.ExitError`), and AWS may find new ones: `States.TaskFailed` is all of them but `States.Timeout`.
 * At most 2 + 4 + 8 + 16 + 30 + 30 = 90 s of waits.
 */
export const READING_STEP_RETRY = [
  KNOWN_TO_LAST,
  { ErrorEquals: ['States.TaskFailed', 'States.Timeout'], ...PATIENT },
];

/**
 * For steps that write to the service. After a crash, whatever its name, nobody knows what was written: that
 * is left to the next read of the list, never to a second run. A roll that was never sent is sent after that
 * read, and a stop that was not is none: nothing is lost but time. What Lambda says of itself is no crash of
 * ours, and a ledger that failed is none either: the journal was asked before the service, and a second run
 * reads both again.
 * At most 90 s of waits.
 */
export const WRITING_STEP_RETRY = [
  { ErrorEquals: [...LAMBDA_TRANSIENT, ...OWN_TRANSIENT], ...PATIENT },
];

/** What Step Functions calls the start of an execution whose name is taken. */
export const ALREADY_STARTED = 'StepFunctions.ExecutionAlreadyExistsException';

/**
 * For the start of the next execution: whatever keeps it from starting may pass. Its name is always the same,
 * so one that was started without an answer is not started twice. At most 90 s of waits.
 */
export const STARTING_STEP_RETRY = [
  { ErrorEquals: [ALREADY_STARTED], MaxAttempts: 0 },
  { ErrorEquals: ['States.TaskFailed', 'States.Timeout'], ...PATIENT },
];
