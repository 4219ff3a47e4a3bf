import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { killPrograms } from '../../cli/program-process.ts';
import { readDoc } from '../code-blocks.ts';
import { follow } from './a-reader.ts';
import { readSteps } from './read-steps.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PAGES = globSync('docs/{tutorials,how-to}/*.md', { cwd: ROOT }).toSorted();
/** Most of the time of a rollout is waiting, so several pages share a processor. */
const AT_ONCE = 4;

afterAll(killPrograms);

describe('followed from its first line to its last, as shown', () => {
  const ends: Promise<unknown>[] = [];
  beforeAll(() => {
    for (const [index, page] of PAGES.entries()) {
      const before = ends[index - AT_ONCE] ?? Promise.resolve();
      ends.push(before.then(() => follow(readSteps(page)).catch((error: unknown) => error)));
    }
  });

  test.each(PAGES.map((page, index) => [page, index] as const))('%s', async (_, index) => {
    expect(await ends[index]).toBeUndefined();
  });
});

test.each(PAGES)('%s says so where something was not run here', (page) => {
  const isPartlyNotRun = readSteps(page).some(({ kind }) => kind === 'not-run');
  expect(readDoc(page).toLowerCase().includes('not run here')).toBe(isPartlyNotRun);
});
