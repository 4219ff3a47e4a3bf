import { meaningOf } from '../domain/error-meanings.ts';
import { ErrorName } from '../domain/errors.ts';

/**
 * Failures of Lambda itself that say nothing about our code, from AWS's advice for Lambda tasks
 * (https://docs.aws.amazon.com/step-functions/latest/dg/sfn-best-practices.html).
 */
const LAMBDA_TRANSIENT = [
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
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

/** With the jitter FULL each wait is anything from nothing to its longest: what is said of all of them is an average. */
const PATIENT = {
  IntervalSeconds: 2,
  BackoffRate: 2,
  MaxAttempts: 6,
  MaxDelaySeconds: 30,
  JitterStrategy: 'FULL',
} as const;

/**
 * A function that Lambda does not run for want of room, and a ledger that cannot be reached: what the rollout needs is
 * away and comes back by itself. The longest waits are 2 + 4 + 8 + 16 + 32 + 26 × 60 = 1,622 s, so all of them take
 * 13.5 minutes on average, in 99 of 100 cases at least 10, and at most 27. What the tries themselves take comes on top.
 */
const AWAY = {
  ErrorEquals: ['Lambda.TooManyRequestsException', ...OWN_TRANSIENT],
  ...PATIENT,
  MaxAttempts: 31,
  MaxDelaySeconds: 60,
};

/** What ran out of time has hung for minutes: it runs once more, not as often as what crashed at once. */
const HUNG = { ErrorEquals: ['States.Timeout', 'Sandbox.Timedout'], ...PATIENT, MaxAttempts: 1 };

/**
 * For steps that only read from the service. They may run twice, so any error that is not our own is tried again. A
 * function that crashed has many names (`Lambda.Unknown`, `Runtime.ExitError`), and AWS may add new ones:
 * `States.TaskFailed` matches all of them except `States.Timeout`. The longest waits after a crash are
 * 2 + 4 + 8 + 16 + 30 + 30 = 90 s, which are 45 s on average, and 2 s for a function that hung.
 */
export const READING_STEP_RETRY = [
  KNOWN_TO_LAST,
  AWAY,
  HUNG,
  { ErrorEquals: ['States.TaskFailed'], ...PATIENT },
];

/**
 * For steps that write to the service. After a crash of any name nobody knows what was written. Only the next read of
 * the list shows it, so such a step is never run again. A roll that was not sent is sent after that read, and a stop
 * that was not sent stays unsent: only time is lost. Errors of Lambda itself are not crashes of our code. An error of
 * the ledger is not one either, because the step uses the ledger before the service, and a second run reads both
 * again. After an error of Lambda the waits are 45 s on average, 90 s at most.
 */
export const WRITING_STEP_RETRY = [AWAY, { ErrorEquals: LAMBDA_TRANSIENT, ...PATIENT }];

/** Step Functions' name for the error that an execution of this name exists already. */
export const ALREADY_STARTED = 'StepFunctions.ExecutionAlreadyExistsException';

/**
 * For the start of the next execution. Any error may pass. Its name is always the same, so an execution whose start
 * got no answer is not started twice. The waits are 45 s on average, 90 s at most.
 */
export const STARTING_STEP_RETRY = [
  { ErrorEquals: [ALREADY_STARTED], MaxAttempts: 0 },
  { ErrorEquals: ['States.TaskFailed', 'States.Timeout'], ...PATIENT },
];
