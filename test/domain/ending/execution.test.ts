import { expect, test } from '@jest/globals';
import { isDead } from '../../../lib/domain/ending/execution.ts';
import { LEASE_TOLERANCE_MS } from '../../../lib/domain/rollout/lease.ts';

const UNTIL = 1_000_000;
const RAN_OUT = UNTIL + LEASE_TOLERANCE_MS;

test.each(['FAILED', 'TIMED_OUT', 'ABORTED'] as const)(
  '%s is dead, whatever the lease says',
  (status) => {
    expect(isDead({ status }, UNTIL, 0)).toBe(true);
  },
);

test('RUNNING is never dead, also when the lease has run out', () => {
  expect(isDead({ status: 'RUNNING' }, UNTIL, RAN_OUT * 2)).toBe(false);
});

test.each(['NOT_FOUND', 'SUCCEEDED'] as const)(
  'X10, A06: after %s the next may have just begun: dead once the lease has run out, with the tolerance for clocks',
  (status) => {
    expect(isDead({ status }, UNTIL, RAN_OUT - 1)).toBe(false);
    expect(isDead({ status }, UNTIL, RAN_OUT)).toBe(true);
  },
);
