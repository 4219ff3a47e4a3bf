import { expect, test } from '@jest/globals';
import { DEFAULT_POLICY } from '../../lib/domain/defaults.ts';
import { toPosition } from '../../lib/steps/to-position.ts';

const REQUEST = {
  // As long as the name of an execution and the id of a runtime may be.
  rolloutId: 'r'.repeat(80),
  runtimeId: 't'.repeat(256),
  desiredVersion: 2,
  policy: DEFAULT_POLICY,
};
const LEASE = { runtimeId: REQUEST.runtimeId, rolloutId: REQUEST.rolloutId, epoch: 1 };
const ENDING = { outcome: 'Failed', reason: 'Stalled', message: 'It made no progress.' } as const;

/** The worst case for batches of neighbours: none of them has one. */
const EVERY_SECOND = Array.from({ length: 5_000 }, (_, index) => 2 * index);

test('A04: what is to be rolled of 10,000 endpoints fits into the state', () => {
  const position = toPosition(
    { next: 'roll', wave: 0, positions: EVERY_SECOND },
    REQUEST,
    LEASE,
    0,
  );

  expect(sizeOf(position)).toBeLessThanOrEqual(128 * 1024);
});

test('A04: what is to be stopped of 10,000 endpoints fits into the state, and all of it is there', () => {
  const position = toPosition(
    { next: 'contain', ending: ENDING, oldEndpoints: EVERY_SECOND },
    REQUEST,
    LEASE,
    0,
  );

  const covered = position.batches.reduce((sum, { from, to }) => sum + to - from, 0);
  expect(covered).toBeGreaterThanOrEqual(EVERY_SECOND.length);
  expect(sizeOf(position)).toBeLessThanOrEqual(128 * 1024);
  expect(position.batches.length * EVENTS_OF_A_BATCH).toBeLessThanOrEqual(20_000);
});

/** In an execution's history: the iteration's start and end, the state's, and the Task's three. */
const EVENTS_OF_A_BATCH = 7;

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
