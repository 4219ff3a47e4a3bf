import { describe, expect, test } from '@jest/globals';
import { asRefusedStart } from '../../../lib/adapters/lambda/connect-step-functions.ts';
import { ErrorName } from '../../../lib/domain/errors.ts';

const errorOf = (name: string) => Object.assign(new Error('no'), { name });

describe('the error of a start that was tried once', () => {
  test.each([
    ['ThrottlingException', ErrorName.UpstreamThrottled],
    ['TooManyRequestsException', ErrorName.UpstreamThrottled],
    ['ExecutionLimitExceeded', ErrorName.UpstreamThrottled],
    ['KmsThrottlingException', ErrorName.UpstreamThrottled],
    ['AccessDeniedException', ErrorName.UpstreamAuth],
    ['ExpiredTokenException', ErrorName.UpstreamAuth],
  ])('A02: %s: nothing was started, %s', (name, known) => {
    expect(asRefusedStart(errorOf(name))).toMatchObject({
      name: known,
      message: expect.stringContaining(`${name}: no`),
      cause: errorOf(name),
    });
  });

  test.each(['TimeoutError', 'ECONNRESET', 'InternalFailure', 'ServiceUnavailable', 'Error'])(
    '%s stays as it is: the execution may run',
    (name) => {
      const error = errorOf(name);
      expect(asRefusedStart(error)).toBe(error);
    },
  );
});
