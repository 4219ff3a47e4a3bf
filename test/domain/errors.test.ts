import { expect, test } from '@jest/globals';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../lib/domain/errors.ts';

test('an error name is the word that it is known by', () => {
  for (const [key, name] of Object.entries(ErrorName)) expect(name).toBe(key);
});

test('an error keeps its name, its cause and what the service said', () => {
  const cause = new TypeError('fetch failed');
  const error = new SteprollError(ErrorName.UpstreamThrottled, 'later', {
    cause,
    httpStatus: 429,
    retryAfterSeconds: 7,
  });
  expect(error).toMatchObject({
    name: 'UpstreamThrottled',
    message: 'later',
    cause,
    httpStatus: 429,
    retryAfterSeconds: 7,
  });
});

test.each<[unknown, string, string]>([
  [new SteprollError(ErrorName.LeaseLost, 'gone'), 'LeaseLost', 'gone'],
  [new TypeError('bad'), 'TypeError', 'bad'],
  ['thrown text', 'Error', 'thrown text'],
  [undefined, 'Error', 'undefined'],
])('anything thrown has a name and a message: %p', (error, name, message) => {
  expect(errorNameOf(error)).toBe(name);
  expect(errorMessageOf(error)).toBe(message);
});
