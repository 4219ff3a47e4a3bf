import { meaningOf } from '../domain/error-meanings.ts';
import { ErrorName } from '../domain/errors.ts';

/**
 * Throttling, and failures of Lambda itself that say nothing about our code, from AWS's advice for Lambda tasks
 * (https://docs.aws.amazon.com/step-functions/latest/dg/sfn-best-practices.html).
 */
const LAMBDA_TRANSIENT = [
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.TooManyRequestsException',
];

/** Errors of our own that may not come again in a second run. */
const OWN_TRANSIENT = Object.values(ErrorName).filter((name) => meaningOf(name).step === 'again');

/**
 * All our other errors are thrown on purpose. The step has tried the service often enough, so a second run would get
 * the same error, or would come earlier than the service asked for.
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

/** What ran out of time has hung for minutes: it runs once more, not as often as what crashed at once. */
const HUNG = { ErrorEquals: ['States.Timeout', 'Sandbox.Timedout'], ...PATIENT, MaxAttempts: 1 };

/**
 * For steps that only read from the service. They may run twice, so any error that is not our own is tried again. A
 * function that crashed has many names (`Lambda.Unknown`, `Runtime.ExitError`), and AWS may add new ones:
 * `States.TaskFailed` matches all of them except `States.Timeout`. The waits are at most 2 + 4 + 8 + 16 + 30 + 30 = 90 s,
 * and 2 s for a function that hung.
 */
export const READING_STEP_RETRY = [
  KNOWN_TO_LAST,
  HUNG,
  { ErrorEquals: ['States.TaskFailed'], ...PATIENT },
];

/**
 * For steps that write to the service. After a crash of any name nobody knows what was written. Only the next read of
 * the list shows it, so such a step is never run again. A roll that was not sent is sent after that read, and a stop
 * that was not sent stays unsent: only time is lost. Errors of Lambda itself are not crashes of our code. An error of
 * the ledger is not one either, because the step uses the ledger before the service, and a second run reads both
 * again. The waits are at most 90 s.
 */
export const WRITING_STEP_RETRY = [
  { ErrorEquals: [...LAMBDA_TRANSIENT, ...OWN_TRANSIENT], ...PATIENT },
];

/** Step Functions' name for the error that an execution of this name exists already. */
export const ALREADY_STARTED = 'StepFunctions.ExecutionAlreadyExistsException';

/**
 * For the start of the next execution. Any error may pass. Its name is always the same, so an execution whose start
 * got no answer is not started twice. The waits are at most 90 s.
 */
export const STARTING_STEP_RETRY = [
  { ErrorEquals: [ALREADY_STARTED], MaxAttempts: 0 },
  { ErrorEquals: ['States.TaskFailed', 'States.Timeout'], ...PATIENT },
];
