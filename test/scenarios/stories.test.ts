import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { QUIET } from './simulation/quiet.ts';
import { tryOrdeal } from './simulation/try-ordeal.ts';
import { STORIES } from './stories/stories.ts';
import { STORIES_FILE, tellStories } from './stories/tell-stories.ts';
import { tellStory } from './stories/tell-story.ts';

test('every story goes as it is written down; what is meant to go otherwise is written with npm run stories', async () => {
  expect(await tellStories()).toBe(readFileSync(STORIES_FILE, 'utf8'));
});

test('each story has a name of its own', () => {
  const names = Object.values(STORIES).flatMap((stories) => stories.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
});

test('another pace is the same story, and another act is another one', async () => {
  const tell = async (policy: object) =>
    tellStory(await tryOrdeal({ ...QUIET, policy: { ...QUIET.policy, ...policy } }));
  const quick = await tell({ pollSeconds: 5, maxPollSeconds: 15 });
  expect(await tell({ pollSeconds: 20, maxPollSeconds: 60, bakeSeconds: 40 })).toEqual(quick);
  expect(await tell({ waves: [{ endpoints: 1 }, { percent: 100 }] })).not.toEqual(quick);
});
