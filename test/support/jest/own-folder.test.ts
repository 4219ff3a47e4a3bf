import { tmpdir } from 'node:os';
import { expect, test } from '@jest/globals';

test('what tests write is in a folder that goes with the run', () => {
  expect(tmpdir()).toMatch(/steproll-tests-\w+$/);
});
