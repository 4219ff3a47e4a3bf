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

const PATIENT = {
  IntervalSeconds: 2,
  BackoffRate: 2,
  MaxAttempts: 6,
  MaxDelaySeconds: 30,
  JitterStrategy: 'FULL',
} as const;

/**
 * For steps that only read the service: they may run twice, so a crash is tried again too.
 * At most 2 + 4 + 8 + 16 + 30 + 30 = 90 s of waits.
 */
export const READING_STEP_RETRY = [
  {
    ErrorEquals: [
      ...LAMBDA_TRANSIENT,
      'Lambda.Unknown',
      'States.Timeout',
      ErrorName.LedgerUnavailable,
    ],
    ...PATIENT,
  },
];

/**
 * For steps that write to the service. After a crash (`Lambda.Unknown`, a timeout) nobody knows what
 * was written: that is left to the next read of the list, never to a second run. A ledger that failed
 * is no such case: the journal was asked before the service, and a second run reads both again.
 * At most 90 s of waits.
 */
export const WRITING_STEP_RETRY = [
  { ErrorEquals: [...LAMBDA_TRANSIENT, ErrorName.LedgerUnavailable], ...PATIENT },
];
