import { describe, expect, test } from '@jest/globals';
import { understandRefusal } from '../../../lib/domain/endpoint/rolls.ts';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import { endpoint, FOREIGN } from '../examples.ts';

const { statuses } = DEFAULT_POLICY;
const atWork = endpoint('e', { status: 'Waiting_Reconfiguration' });

describe('a 400 to the roll of an endpoint', () => {
  const no = new SteprollError(ErrorName.UpstreamRejected, 'PUT e: 400', { httpStatus: 400 });

  test.each([
    ['with a busy status', atWork],
    ['on its way elsewhere', endpoint('e', { targetVersion: FOREIGN })],
  ])('%s means later, in the words of the service', (_, one) => {
    expect(understandRefusal(no, one, statuses)).toMatchObject({
      name: 'UpstreamConflict',
      message: 'PUT e: 400',
      httpStatus: 400,
    });
  });

  test.each([
    ['at rest', endpoint('e')],
    ['that has failed on its way', endpoint('e', { targetVersion: FOREIGN, status: 'FAILED' })],
    ['that is not in the list', undefined],
  ])('%s is a clear no', (_, one) => {
    expect(understandRefusal(no, one, statuses)).toBe(no);
  });
});

test.each([
  ErrorName.UpstreamAuth,
  ErrorName.UpstreamNotFound,
  ErrorName.UpstreamThrottled,
  ErrorName.OutcomeUnknown,
])('%s keeps its meaning, however busy the endpoint is', (name) => {
  const error = new SteprollError(name, 'no');
  expect(understandRefusal(error, atWork, statuses)).toBe(error);
});
