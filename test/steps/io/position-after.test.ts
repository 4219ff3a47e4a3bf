import { describe, expect, test } from '@jest/globals';
import {
  type Batch,
  POSITION_VERSION,
  type Position,
  parsePosition,
} from '../../../lib/contract/flow/position.ts';
import type { Decision } from '../../../lib/domain/decision/decision.ts';
import type { PlannedWait, WaitKind } from '../../../lib/domain/rollout/wait.ts';
import { positionAfter } from '../../../lib/steps/io/hand-on.ts';

/** As long as the name of an execution and the id of a runtime may be. */
const LEASE = { runtimeId: 't'.repeat(256), rolloutId: 'r'.repeat(80), epoch: 1 };
const ENDING = { outcome: 'Failed', reason: 'Stalled', message: 'It made no progress.' } as const;

const EXECUTION = { number: 1, startedAt: 1_795_219_200_000, events: 8 };

/** What the indexes of these examples have in common. */
const BLANK: Position = {
  schemaVersion: POSITION_VERSION,
  ...LEASE,
  direction: 'back',
  wave: 1,
  next: 'close',
  says: 'Wave 2 of 3',
  waitSeconds: 0,
  looks: 0,
  batches: [],
  oldEndpoints: 0,
  ending: null,
  execution: EXECUTION,
  handOver: null,
};

function batchOf(from: number, to: number): Batch {
  return { schemaVersion: POSITION_VERSION, ...LEASE, direction: 'back', from, to };
}

/** The worst case for batches of neighbours: none of them has one. */
function everySecondOf(planned: number): number[] {
  return Array.from({ length: planned / 2 }, (_, index) => 2 * index);
}

const FORWARD = { direction: 'forward', wave: 0, execution: EXECUTION, says: '' } as const;

describe.each([10_000, 50_000])('A04: of %i endpoints', (planned) => {
  const indexes = everySecondOf(planned);

  test('what is to be rolled fits into the state', () => {
    const toRoll: Decision = { next: 'roll', wave: 0, indexes, wait: waitOf('roll', 5) };
    const position = positionAfter(toRoll, LEASE, { ...FORWARD, planned });

    expect(sizeOf(position)).toBeLessThanOrEqual(128 * 1024);
  });

  test('what is to be stopped fits into the state, and all of it is there', () => {
    const failed = { next: 'contain', onFailure: 'stop-old', ending: ENDING } as const;
    const toStop: Decision = { ...failed, oldEndpoints: indexes };
    const position = positionAfter(toStop, LEASE, { ...FORWARD, planned });

    const isCovered = (one: number) =>
      position.batches.some(({ from, to }) => from <= one && one < to);
    expect(indexes.every(isCovered)).toBe(true);
    expect(sizeOf(position)).toBeLessThanOrEqual(128 * 1024);
    expect(position.batches.length * EVENTS_OF_A_BATCH).toBeLessThanOrEqual(20_000);
  });
});

function waitOf(what: WaitKind, seconds: number, step: PlannedWait['step'] = 'look'): PlannedWait {
  return { for: what, of: null, until: null, seconds, step };
}

const CLOSE: Decision = { next: 'close', ending: ENDING };

test.each<[string, Decision, Partial<Position>]>([
  [
    'a wait to open',
    { next: 'wait', ...waitOf('turn', 9, 'open') },
    { next: 'open-turn', waitSeconds: 9 },
  ],
  ['a wait', { next: 'wait', ...waitOf('roll', 7) }, { next: 'look-roll', waitSeconds: 7 }],
  ['a bake', { next: 'wait', ...waitOf('bake', 60) }, { next: 'look-bake', waitSeconds: 60 }],
  [
    'a roll, with the wait after it',
    { next: 'roll', wave: 2, indexes: [4, 5, 9], wait: waitOf('roll', 5) },
    {
      next: 'roll',
      wave: 2,
      waitSeconds: 5,
      batches: [batchOf(4, 6), batchOf(9, 10)],
    },
  ],
  [
    'what happens to old endpoints, if need be against the policy',
    { next: 'contain', onFailure: 'hold', ending: ENDING, oldEndpoints: [1, 7] },
    {
      next: 'contain',
      onFailure: 'hold',
      batches: [batchOf(1, 8)],
      oldEndpoints: 2,
      aborts: 3,
      ending: ENDING,
    },
  ],
  ['a close', CLOSE, { next: 'close', ending: ENDING }],
])('writes down %s', (_, decision, said) => {
  const position = positionAfter(decision, LEASE, {
    direction: 'back',
    wave: 1,
    execution: EXECUTION,
    aborts: 3,
    says: 'Wave 2 of 3',
  });

  expect(position).toEqual({ ...BLANK, ...said });
  expect(parsePosition(JSON.parse(JSON.stringify(position)))).toEqual(position);
});

/** In an execution's history: the iteration's start and end, the state's, and the Task's three. */
const EVENTS_OF_A_BATCH = 7;

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
