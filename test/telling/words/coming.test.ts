import { describe, expect, test } from '@jest/globals';
import type { Hold } from '../../../lib/domain/holds/hold.ts';
import { storyOf } from '../../../lib/telling/story/story.ts';
import { listComing } from '../../../lib/telling/words/coming.ts';
import { planOf, progressOf, recordOf, seen, waitFor } from '../../domain/examples.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 10, 29, 1);
const NOTHING = { now: NOW, open: [], schedules: [], holds: [] };

const bakes = {
  ...recordOf(),
  plan: planOf([1, 1]),
  progress: progressOf(0, [seen('converged', 2)]),
  wait: waitFor('bake', { until: NOW + HOUR_MS, lookAt: NOW + HOUR_MS }),
};
const rolledBefore = { ...bakes, progress: { ...bakes.progress, fastestRollMs: 60_000 } };
const HOLD: Hold = {
  ...{ id: 'h1', kind: 'freeze', scope: {}, by: 'ann', reason: 'patching', at: NOW - 1 },
  until: NOW + 2 * HOUR_MS,
};

describe('what will come', () => {
  test('of a rollout is its next wave and its end, as the view foresees them', () => {
    const [one] = listComing({ ...NOTHING, open: [storyOf(rolledBefore, NOW)] });
    expect(one?.moments).toMatchObject([
      { at: NOW + HOUR_MS, what: 'the next wave begins', isForeseen: true },
      { what: 'it ends', isForeseen: true },
    ]);
    expect(one?.says).toMatch(/baking\. The next wave begins at about 2026-11-29 02:00Z\./);
  });

  test('of a rollout that has seen no roll is the end of its bake, and of a dead one nothing', () => {
    const [one] = listComing({ ...NOTHING, open: [storyOf(bakes, NOW)] });
    expect(one?.moments).toEqual([{ at: NOW + HOUR_MS, what: 'its bake ends', isForeseen: false }]);
    const [dead] = listComing({ ...NOTHING, open: [storyOf(rolledBefore, NOW, true)] });
    expect(dead?.moments).toEqual([]);
  });

  test.each([
    [null, 'it may begin'],
    [1, 'it goes on'],
  ])('of one that waits for a window in wave %j is the window: %s', (wave, what) => {
    const wait = { ...waitFor('window', { until: NOW + HOUR_MS, lookAt: NOW + HOUR_MS }), wave };
    const [one] = listComing({ ...NOTHING, open: [storyOf({ ...bakes, wait }, NOW)] });
    expect(one?.moments).toEqual([{ at: NOW + HOUR_MS, what, isForeseen: false }]);
  });

  test('comes in time, and last what nobody can say the time of', () => {
    const coming = listComing({
      now: NOW,
      open: [storyOf(bakes, NOW)],
      schedules: [
        { name: 'often', next: null, message: 'shop, rate(1 hour).' },
        { name: 'soon', next: NOW + 60_000, message: 'shop, at(…).' },
      ],
      holds: [HOLD, { ...HOLD, id: 'h2', until: NOW }],
    });
    expect(coming.map(({ key }) => key)).toEqual([
      'schedule soon',
      'rollout-1',
      'hold h1 freeze',
      'schedule often',
    ]);
  });
});
