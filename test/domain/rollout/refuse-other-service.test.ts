import { expect, test } from '@jest/globals';
import { ErrorName } from '../../../lib/domain/errors.ts';
import { refuseOtherService } from '../../../lib/domain/rollout/other-service.ts';

const ROLLOUT = { rolloutId: 'r-1', endpointUrl: 'https://endpoints.example.com/runtime' };

test('a rollout goes on at the service that it was planned for', () => {
  expect(() => refuseOtherService(ROLLOUT, ROLLOUT.endpointUrl)).not.toThrow();
});

test('a record that is too old to say which one passes', () => {
  expect(() => refuseOtherService({ rolloutId: 'r-1' }, ROLLOUT.endpointUrl)).not.toThrow();
});

test.each([
  'https://staging.example.com/runtime',
  'https://endpoints.example.com',
  'https://endpoints.example.com:8443/runtime',
])('and not at %s', (endpointUrl) => {
  expect(() => refuseOtherService(ROLLOUT, endpointUrl)).toThrow(
    expect.objectContaining({
      name: ErrorName.InvalidInput,
      message: `Rollout "r-1" is of the service at https://endpoints.example.com/runtime, and the endpoint URL here is ${endpointUrl}.`,
    }),
  );
});
