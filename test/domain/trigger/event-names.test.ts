import { expect, test } from '@jest/globals';
import {
  isOwnSource,
  LIFECYCLE_SOURCE,
  RELEASE_EVENT,
} from '../../../lib/domain/trigger/release.ts';

test('E11: what announces releases and what tells of rollouts have different sources', () => {
  expect(RELEASE_EVENT.source).not.toBe(LIFECYCLE_SOURCE);
});

test.each([
  ['steproll', true],
  ['steproll.release', true],
  ['steproll.anything', true],
  ['steprolls', false],
  ['aws.ecr', false],
  ['com.example.steproll', false],
])('%s is one of our own: %p', (source, own) => {
  expect(isOwnSource(source)).toBe(own);
});
