import { expect, test } from '@jest/globals';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import { describeError } from '../../../lib/telling/words/errors.ts';

test('an error begins with its name, which can be searched for', () => {
  const error = new SteprollError(ErrorName.UpstreamConflict, 'PUT /x: 409 busy\u001b\nAgain.');
  expect(describeError(error)).toBe('UpstreamConflict: PUT /x: 409 busy\uFFFD\nAgain.');
  expect(describeError(new TypeError('x is null'))).toBe('TypeError: x is null');
});

test('a list of mistakes has a heading of its own', () => {
  const error = new SteprollError(ErrorName.InvalidInput, 'Invalid arguments, 1 mistake:\n  id: x');
  expect(describeError(error)).toBe('Invalid arguments, 1 mistake:\n  id: x');
});
