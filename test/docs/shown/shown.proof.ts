import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { killPrograms } from '../../cli/program-process.ts';
import { follow } from './a-reader.ts';
import { FOLLOWED, readSteps } from './read-steps.ts';

/** Most of the time of a rollout is waiting, so several pages share a processor. */
const AT_ONCE = 4;

afterAll(killPrograms);

describe('followed from its first line to its last, as shown', () => {
  const ends: Promise<unknown>[] = [];
  beforeAll(() => {
    for (const [index, [name, text]] of FOLLOWED.entries()) {
      const before = ends[index - AT_ONCE] ?? Promise.resolve();
      ends.push(before.then(() => follow(readSteps(name, text)).catch((error: unknown) => error)));
    }
  });

  test.each(FOLLOWED.map(([name], index) => [name, index] as const))('%s', async (_, index) => {
    expect(await ends[index]).toBeUndefined();
  });
});

test.each(FOLLOWED)('%s says so where something was not run here', (name, text) => {
  const isPartlyNotRun = readSteps(name, text).some(({ kind }) => kind === 'not-run');
  expect(text.toLowerCase().includes('not run here')).toBe(isPartlyNotRun);
});
