import { expect, test } from '@jest/globals';
import { renderFrame } from '../../../lib/cli/live/frame.ts';
import { createJsonView } from '../../../lib/cli/live/json-lines.ts';
import { createLineView } from '../../../lib/cli/live/lines.ts';
import { storyOf } from '../../../lib/telling/story/story.ts';
import type { WatchLine } from '../../../lib/telling/view/watch-lines.ts';
import { describeStory } from '../../../lib/telling/words/story.ts';
import { afterLook, planOf, progressOf, recordOf, seen } from '../../domain/examples.ts';
import { fakeScreen } from '../terminal/fake-screen.ts';

// The bake would be over now, if anybody counted.
const now = 3_600_000;
const baking = {
  ...recordOf(),
  plan: planOf([1, 1]),
  ...afterLook(
    progressOf(0, [seen('converged', 2)], {
      ...{ bakedMs: 60_000, readAt: 60_000, clock: { at: 60_000, watched: 60_000 } },
    }),
  ),
};
const DEAD = [
  'Its process seems to be dead. To go on with it:',
  '  steproll rollout resume rollout-1',
];
const THEN = 'Wave 1 of 2: baking, last heard of at 00:01:00Z';

test('the picture of a dead rollout says so, and stands still', () => {
  const frameAt = (at: number) => {
    const story = storyOf(baking, at, true);
    return renderFrame({ story, seen: null, note: null, engine: '' }, fakeScreen(80));
  };
  const early = frameAt(70_000);
  expect(early).toEqual(expect.arrayContaining(DEAD));
  expect(early.at(-1 - DEAD.length)).toBe(THEN);
  expect(frameAt(now)).toEqual(early);
});

test('lines say it when the rollout is dead, also while it is watched, and once', () => {
  const screen = fakeScreen(80);
  let at = 70_000;
  const view = createLineView({ screen, clock: { now: () => at } });
  view.update(baking);
  expect(screen.lines.join()).not.toContain('seems to be dead');
  at = now;
  view.update(baking, true);
  view.update(baking, true);
  expect(screen.lines.slice(-2)).toEqual(DEAD.map((line) => `01:00:00Z  ${line}`));
  expect(screen.lines.filter((line) => line.includes('seems to be dead'))).toHaveLength(1);
});

test('JSON lines say it in a note, once, and count no seconds', () => {
  const lines: WatchLine[] = [];
  const view = createJsonView((line) => lines.push(line), { now: () => now });
  view.update(baking, true);
  view.update(baking, true);
  expect(lines.filter(({ kind }) => kind === 'progress')).toEqual([
    expect.objectContaining({ phase: 'baking', secondsLeft: null }),
  ]);
  expect(lines.filter(({ kind }) => kind === 'note')).toEqual([
    expect.objectContaining({
      message: 'Its process seems to be dead. To go on with it: steproll rollout resume rollout-1',
    }),
  ]);
});

test('its story says in which phase it was', () => {
  expect(describeStory(storyOf(baking, now, true), fakeScreen(80))).toContain(`  ${THEN}`);
});
