import { expect, test } from '@jest/globals';
import { adviceOnAccess, asAwsError } from '../../../lib/adapters/aws/aws-errors.ts';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';

const named = (name: string, message = 'no') => Object.assign(new Error(message), { name });

test.each([
  ['CredentialsProviderError', 'Sign in to AWS'],
  ['ExpiredTokenException', 'Sign in to AWS'],
  ['UnrecognizedClientException', 'Sign in to AWS'],
  ['AccessDenied', 'Have this permission added'],
  ['AccessDeniedException', 'Have this permission added'],
  ['TimeoutError', 'Try again'],
  ['ThrottlingException', 'Try again'],
])('%s is told with what to do next', (name, advice) => {
  const cause = named(name);

  expect(asAwsError(cause, 'start the rollout')).toMatchObject({
    name: 'AwsUnavailable',
    message: expect.stringMatching(
      new RegExp(`^Could not start the rollout: ${name}: no\n.*${advice}`),
    ),
    cause,
  });
});

test('no access is found behind another error, and nothing else is taken for it', () => {
  const behind = new Error('The table cannot be read.', { cause: named('AccessDeniedException') });

  expect(adviceOnAccess(behind)).toMatch(/^Have this permission/);
  expect(adviceOnAccess(named('ThrottlingException'))).toBeNull();
});

test('a missing region is told with where to set it', () => {
  const { message } = asAwsError(named('Error', 'Region is missing'), 'read the stack');

  expect(message).toContain('Set AWS_REGION');
});

test('what is ours already stays as it is', () => {
  const error = new SteprollError(ErrorName.StackNotFound, 'gone');

  expect(asAwsError(error, 'read the stack')).toBe(error);
});
