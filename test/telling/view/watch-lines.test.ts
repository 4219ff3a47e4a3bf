import { expect, test } from '@jest/globals';
import type { RolloutRecord, WaveProgress } from '../../../lib/domain/rollout/record.ts';
import { storyOf } from '../../../lib/telling/story/story.ts';
import { toProgressLine } from '../../../lib/telling/view/watch-lines.ts';
import { planBackOf, planOf, progressOf, recordOf } from '../../domain/examples.ts';

const cause = { outcome: 'Failed', reason: 'Stalled', message: 'm' } as const;
const rollback = { cause, seen: [], plan: planBackOf(2) };

test.each<[string, Pick<RolloutRecord, 'plan' | 'rollback'>, WaveProgress | null, object]>([
  ['before there is a plan', { plan: null, rollback: null }, null, { wave: null, waves: 0 }],
  ['before the first look', { plan: planOf([1, 2]), rollback: null }, null, { wave: 1, waves: 2 }],
  ['under way', { plan: planOf([1, 2]), rollback: null }, progressOf(1, []), { wave: 2, waves: 2 }],
  ['turning around', { plan: planOf([1, 2]), rollback }, progressOf(1, []), { wave: 1, waves: 1 }],
])(
  'the progress of a rollout %s names a wave of the plan that is followed',
  (_, plans, progress, waves) => {
    const line = toProgressLine(storyOf({ ...recordOf(), ...plans, progress }, 0));
    expect(line).toMatchObject({
      ...waves,
      direction: plans.rollback === null ? 'forward' : 'back',
    });
  },
);
