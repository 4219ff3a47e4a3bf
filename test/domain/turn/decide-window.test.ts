import { describe, expect, test } from '@jest/globals';
import { decideWindow } from '../../../lib/domain/turn/window.ts';
import { freeze, openWindow, utc } from './examples.ts';

const WINDOW = openWindow({ days: ['mon', 'tue', 'wed', 'thu', 'fri'], timeZone: 'Europe/Berlin' });
const YEAR_END = freeze('2026-12-18T18:00', '2027-01-04T08:00', {
  timeZone: 'Europe/Berlin',
  reason: 'end of the year',
});
const waiting = { windows: [WINDOW], freezes: [YEAR_END], outsideWindow: 'wait' } as const;
const refusing = { ...waiting, outsideWindow: 'refuse' } as const;

describe('whether a rollout may start', () => {
  test.each([waiting, refusing])('in a window it goes: $outsideWindow', (policy) => {
    expect(decideWindow(policy, utc('2026-11-23T08:00'))).toEqual({ decision: 'go' });
  });

  test('outside of the windows it waits for the next one', () => {
    expect(decideWindow(waiting, utc('2026-11-21T20:00'))).toEqual({
      decision: 'wait',
      until: utc('2026-11-23T08:00'),
      message:
        'Outside of the deployment windows: the rollout waits until 2026-11-23 08:00Z (mon 2026-11-23 09:00 Europe/Berlin).',
    });
  });

  test('in a freeze it waits for the end, and tells the reason', () => {
    expect(decideWindow(waiting, utc('2027-01-02T20:00'))).toEqual({
      decision: 'wait',
      until: utc('2027-01-04T08:00'),
      message:
        'Frozen from 2026-12-18T18:00 to 2027-01-04T08:00 Europe/Berlin (end of the year): the rollout waits until 2027-01-04 08:00Z (mon 2027-01-04 09:00 Europe/Berlin).',
    });
  });

  test('when the policy says so it is refused, and told when the next one may start', () => {
    expect(decideWindow(refusing, utc('2026-11-23T15:00'))).toEqual({
      decision: 'refuse',
      error: 'OutsideWindow',
      message:
        'Outside of the deployment windows: the next rollout may start at 2026-11-24 08:00Z (tue 2026-11-24 09:00 Europe/Berlin), and the policy lets none wait.',
    });
  });

  test.each([waiting, refusing])('nothing waits for more than 7 days: $outsideWindow', (policy) => {
    expect(decideWindow(policy, utc('2026-12-21T10:00'))).toEqual({
      decision: 'refuse',
      error: 'OutsideWindow',
      message:
        'Frozen from 2026-12-18T18:00 to 2027-01-04T08:00 Europe/Berlin (end of the year): no rollout may start within 7 days.',
    });
  });

  test('when the wait is over it goes', () => {
    const decision = decideWindow(waiting, utc('2026-11-21T20:00'));
    const until = decision.decision === 'wait' ? decision.until : 0;
    expect(decideWindow(waiting, until - 1).decision).toBe('wait');
    expect(decideWindow(waiting, until)).toEqual({ decision: 'go' });
  });
});
