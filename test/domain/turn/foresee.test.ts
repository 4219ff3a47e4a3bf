import { describe, expect, test } from '@jest/globals';
import { foresee } from '../../../lib/domain/turn/foresee.ts';
import { policyOf } from '../examples.ts';
import { openWindow, utc } from './examples.ts';

const windows = [openWindow({ from: '09:00', to: '17:00' })];
const CLOSED = utc('2026-11-22T20:00');
const OPEN = utc('2026-11-22T10:00');
const HOUR = 3600;

describe('when a rollout that is asked for now would begin and end', () => {
  test('at once, where nothing is in its way', () => {
    expect(foresee(policyOf({ windows }), null, HOUR, OPEN)).toEqual({
      at: OPEN,
      endsAt: utc('2026-11-22T11:00'),
      message: null,
    });
  });

  test('with the next opening of the windows; nobody knows which rollouts are under way then', () => {
    for (const underWay of [null, 'r-1']) {
      expect(foresee(policyOf({ windows }), underWay, HOUR, CLOSED)).toEqual({
        at: utc('2026-11-23T09:00'),
        endsAt: utc('2026-11-23T10:00'),
        message: expect.stringContaining('the rollout waits until 2026-11-23T09:00Z'),
      });
    }
  });

  test('not at all, where the policy lets none wait for a window', () => {
    const policy = policyOf({ windows, outsideWindow: 'refuse' });
    expect(foresee(policy, null, HOUR, CLOSED)).toEqual({
      at: null,
      endsAt: null,
      message: expect.stringMatching(/^OutsideWindow: .* the policy lets none wait\.$/),
    });
  });

  test.each([
    [
      'refuse',
      /^LeaseHeld: Rollout r-1 of this runtime is under way, and the policy lets none wait/,
    ],
    [
      'latest',
      /^Rollout r-1 of this runtime is under way: a start waits until that one has given way/,
    ],
  ] as const)('while another one has the runtime, with %s', (onConflict, message) => {
    expect(foresee(policyOf({ onConflict }), 'r-1', HOUR, OPEN)).toEqual({
      at: null,
      endsAt: null,
      message: expect.stringMatching(message),
    });
  });
});
