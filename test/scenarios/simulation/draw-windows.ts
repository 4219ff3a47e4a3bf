import fc from 'fast-check';
import type { DeploymentWindow, Wave } from '../../../lib/domain/rollout/policy.ts';
import { quieted, seldom } from './draw-holds.ts';
import type { Ordeal } from './ordeal.ts';
import { ownStream } from './own-stream.ts';

// Windows that bind rolls, and close while a rollout is under way.

interface WindowsDraw {
  /** Every so many hours one opens, from the start on. */
  readonly everyHours: number;
  readonly minutes: 15 | 30;
  /** So that they close before the last wave. */
  readonly bakeSeconds: number;
  /** The windows are those of the last wave, and bind it alone. */
  readonly areOfLast: boolean;
}

const draw: fc.Arbitrary<WindowsDraw> = fc.record({
  everyHours: fc.constantFrom(1, 2, 6),
  minutes: fc.constantFrom(15, 30),
  bakeSeconds: fc.constantFrom(900, 1000, 2000),
  areOfLast: fc.constantFrom(false, false, true),
});

export const windowsBeside = ownStream(8, seldom(draw));

/** It waits for nothing else before it begins, and no other rollout comes into its way. */
export function withWindows(ordeal: Ordeal, windows: WindowsDraw | null): Ordeal {
  const isSpecial = ordeal.wire !== null || ordeal.asked !== null || ordeal.undo !== null;
  if (windows === null || isSpecial) return ordeal;
  const { policy, ...rest } = quieted(ordeal);
  const all = windowsOf(windows);
  const waves: readonly Wave[] = [{ endpoints: 1 }, { percent: 100 }];
  const said = windows.areOfLast
    ? { waves: waves.map((wave) => ('percent' in wave ? { ...wave, windows: all } : wave)) }
    : { windowsBind: 'rolls' as const, windows: all, waves };
  return {
    ...{ ...rest, hours: null, opensAfter: 0, people: [] },
    policy: { ...policy, ...said, bakeSeconds: windows.bakeSeconds },
  };
}

const EVERY_DAY = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

function windowsOf({ everyHours, minutes }: WindowsDraw): DeploymentWindow[] {
  return Array.from({ length: 24 / everyHours }, (_, nth) => {
    const hour = `${nth * everyHours}`.padStart(2, '0');
    return { days: EVERY_DAY, from: `${hour}:00`, to: `${hour}:${minutes}`, timeZone: 'UTC' };
  });
}
