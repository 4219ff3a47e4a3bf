import { describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import type { Observation } from '../../../lib/domain/endpoint/observation.ts';
import { observeWave } from '../../../lib/domain/wave/observations.ts';
import {
  afterTarget,
  endpoint,
  line,
  live,
  moving,
  planOf,
  progressOf,
  recordOf,
  seen,
} from '../examples.ts';

const plan = planOf([1, 3, 1]);

const EACH_MS = 10_000;

/** Both clocks say the same, unless an example is about what lies between them. */
function readOf(endpoints: readonly Endpoint[], now: number) {
  return { endpoints, clock: { at: now, watched: now } };
}

test('observes the endpoints up to the end of the wave, in plan order, whatever the order of the list', () => {
  const record = recordOf([line('roll', 'web-2', 'accepted'), line('roll', 'web-3', 'accepted')]);
  const before = progressOf(1, [
    afterTarget(seen('converged', 4)),
    seen('progressing', 2),
    seen('requested', 1),
    seen('pending', 3),
  ]);
  const list = [
    endpoint('web-4'),
    endpoint('web-9'),
    moving('web-3'),
    live('web-2'),
    live('web-1'),
    live('web-5'),
  ];
  expect(observeWave(record, plan, before, readOf(list, 0))).toEqual([
    afterTarget(seen('converged', 5)),
    { ...afterTarget(seen('converged', 1)), changedAt: 0 },
    { ...afterTarget(seen('progressing', 1)), changedAt: 0 },
    seen('pending', 4),
  ]);
});

test('X06, H07: an endpoint of a wave before is still watched', () => {
  const record = recordOf([line('roll', 'web-1', 'accepted')]);
  const before = progressOf(1, [afterTarget(seen('converged', 4))]);
  const [first] = observeWave(record, plan, before, readOf([moving('web-1')], 0));
  const known = { wasConverged: true, furthest: 4 };
  expect(first).toEqual({ ...afterTarget(seen('progressing', 1)), ...known, changedAt: 0 });
  const [back] = observeWave(record, plan, before, readOf([endpoint('web-1')], 7000));
  expect(back).toEqual({
    ...afterTarget(seen('reverted', 1)),
    since: 7000,
    elsewhere: { of: 'target', version: 2 },
    ...known,
    changedAt: 7000,
  });
  // What the next read adds does not contradict one read alone any more.
  const [gone] = observeWave(
    record,
    plan,
    progressOf(1, [first ?? seen('pending')]),
    readOf([], 0),
  );
  expect(gone).toEqual({ ...afterTarget(seen('missing', 1)), since: 0, furthest: 4, changedAt: 0 });
});

describe('H23: a list that tells no versions says nothing against an endpoint that was live', () => {
  const record = recordOf([line('roll', 'web-1', 'accepted')]);
  const silent = live('web-1', { targetVersion: null });
  const back = endpoint('web-1');
  const FAILED = live('web-1', { targetVersion: null, status: 'FAILED' });
  const STOPPED = live('web-1', { targetVersion: null, status: 'STOPPED' });
  /** What reads make of an endpoint of the first wave that had settled, one every 10 s. */
  const after = (...reads: readonly (Endpoint | undefined)[]) => {
    let before: readonly Observation[] = [afterTarget(seen('converged', 4))];
    return reads.map((read, index) => {
      const list = readOf(read === undefined ? [] : [read], index * EACH_MS);
      before = observeWave(record, plan, progressOf(0, before), list);
      return before.map(({ state, reads }) => `${state} ${reads}`).join();
    });
  };

  test.each<[string, (Endpoint | undefined)[], string[]]>([
    ['after one that showed it', [silent, silent], ['converged 0', 'converged 0']],
    [
      'after two that lacked it',
      [undefined, undefined, silent, silent],
      ['missing 1', 'missing 2', 'converged 0', 'converged 0'],
    ],
    ['after an old one', [back, silent, silent], ['reverted 1', 'converged 0', 'converged 0']],
    [
      'after a single one that showed it on its way',
      [moving('web-1'), silent, live('web-1')],
      ['progressing 1', 'converged 0', 'converged 1'],
    ],
    [
      'after three that lacked it, in less than half a minute',
      [undefined, undefined, undefined, silent],
      ['missing 1', 'missing 2', 'missing 3', 'converged 0'],
    ],
    [
      'but not after half a minute that lacked it',
      [undefined, undefined, undefined, undefined, silent],
      ['missing 1', 'missing 2', 'missing 3', 'missing 4', 'progressing 1'],
    ],
    [
      'but not after two that showed it on its way',
      [moving('web-1'), moving('web-1'), silent],
      ['progressing 1', 'progressing 2', 'progressing 3'],
    ],
    ['but not when its status has failed', [FAILED, FAILED], ['failed 1', 'failed 2']],
    ['but not when it is stopped', [STOPPED, STOPPED], ['failed 1', 'failed 2']],
  ])('%s', (_, reads, states) => {
    expect(after(...reads)).toEqual(states);
  });
});

test('what shows the same again has not changed since, and what waits for its turn has no such time', () => {
  const record = recordOf([line('roll', 'web-1', 'accepted')]);
  const look = (before: readonly Observation[], now: number) =>
    observeWave(record, plan, progressOf(0, before), readOf([moving('web-1')], now));
  const [first] = look([], 5_000);
  const [second] = look([first as Observation], 9_000);
  expect(second).toEqual({ ...afterTarget(seen('progressing', 2)), changedAt: 5_000 });
  // An older steproll has not written down since when.
  const [older] = look([afterTarget(seen('progressing', 2))], 9_000);
  expect(older).not.toHaveProperty('changedAt');
});

test('X07: an endpoint that came later is none of the wave', () => {
  const list = [...plan.ids, 'new'].map((id) => live(id));
  const record = recordOf([line('roll', 'web-1', 'accepted')]);
  expect(observeWave(record, plan, progressOf(0, []), readOf(list, 0))).toMatchObject([
    afterTarget(seen('converged', 1)),
  ]);
});

test('H06: with an empty list every endpoint is missing', () => {
  expect(observeWave(recordOf(), plan, progressOf(1, []), readOf([], 0))).toMatchObject([
    seen('missing'),
    seen('missing'),
    seen('missing'),
    seen('missing'),
  ]);
});

test('the status words of the request decide what failed', () => {
  const record = recordOf([line('roll', 'web-1', 'accepted')], {
    statuses: { failed: ['BROKEN'], stopped: [], serving: [], busy: [], unknown: 'wait' },
  });
  const list = [moving('web-1', { status: 'broken' })];
  expect(observeWave(record, plan, progressOf(0, []), readOf(list, 0))).toMatchObject([
    afterTarget(seen('failed')),
  ]);
});

test('only twenty endpoints say where they are instead, so that an old list of a large fleet stays small', () => {
  const many = planOf([30]);
  const rolled = recordOf(many.ids.map((id) => line('roll', id, 'accepted')));
  const before = progressOf(
    0,
    many.ids.map(() => afterTarget(seen('converged', 4))),
  );
  const old = readOf(
    many.ids.map((id) => endpoint(id)),
    0,
  );
  const told = observeWave(rolled, many, before, old).flatMap(({ elsewhere }) => elsewhere ?? []);
  expect(told).toEqual(Array.from({ length: 20 }, () => ({ of: 'target', version: 2 })));
});

test('says why an endpoint has failed in one line of plain text, cut to 200 characters', () => {
  const reasonOf = (statusReason: string | null, status = 'UPDATE_FAILED') => {
    const record = recordOf([line('roll', 'web-1', 'accepted')]);
    const list = [moving('web-1', { status, statusReason })];
    return observeWave(record, plan, progressOf(0, []), readOf(list, 0))[0]?.statusReason;
  };
  expect(reasonOf('no such image')).toBe('no such image');
  expect(reasonOf('  no\r\n\u001b[31msuch\u2028image\u202e ')).toBe('no [31msuch image');
  expect(reasonOf('x'.repeat(200))).toBe('x'.repeat(200));
  expect(reasonOf('😀'.repeat(101))).toBe(`${'😀'.repeat(99)}\uFFFD…`);
  for (const nothing of [null, '', ' \n']) expect(reasonOf(nothing)).toBeUndefined();
  // It says something of another status.
  expect(reasonOf('all is well', 'UPDATING')).toBeUndefined();
});

test('says it of no more endpoints than a record can hold', () => {
  const large = planOf([50]);
  const record = recordOf(large.ids.map((id) => line('roll', id, 'accepted')));
  const list = large.ids.map((id) => moving(id, { status: 'ERROR', statusReason: `${id} broke` }));
  const observations = observeWave(record, large, progressOf(0, []), readOf(list, 0));
  expect(observations.every(({ state }) => state === 'failed')).toBe(true);
  expect(observations.flatMap(({ statusReason }) => statusReason ?? [])).toHaveLength(20);
});

test.each([3_600_000, 0, -3_600_000])(
  'X10: reads agree for as long as somebody watched, also where a clock is %i ms off',
  (offMs) => {
    const back = { ...planOf([1], { direction: 'back' }) };
    const record = recordOf([line('roll-back', 'web-1', 'unknown')]);
    const looksLive: Observation = { ...seen('progressing', 5), since: 5_000, changedAt: 0 };
    const look = (watched: number) => {
      const read = { endpoints: [live('web-1')], clock: { at: watched + offMs, watched } };
      return observeWave(record, back, progressOf(0, [looksLive]), read)[0];
    };

    // A minute is over just now. With a second less, the list may still be an old answer.
    expect(look(65_000)?.state).toBe('converged');
    expect(look(64_000)).toMatchObject({ state: 'progressing', since: 5_000 });
  },
);

describe('X10: a roll does not start when somebody has watched for a minute after the second one', () => {
  const SENT = 50_000;
  const record = recordOf(
    [0, SENT].flatMap((watched) => [
      // What a machine said then says nothing.
      { ...line('roll', 'web-1', 'intended'), at: 99_000_000, watched },
      { ...line('roll', 'web-1', 'unknown'), at: 99_000_000, watched },
    ]),
  );
  const look = (before: Observation, watched: number, shown = endpoint('web-1')) =>
    observeWave(record, planOf([1]), progressOf(0, [before]), readOf([shown], watched))[0];
  const requested = seen('requested', 20);

  test('and not before', () => {
    expect(look(requested, SENT + 59_999)?.state).toBe('requested');
    const failed = look(requested, SENT + 60_000);
    expect(failed).toMatchObject({ state: 'failed', reads: 1 });
    expect(look(failed as Observation, SENT + 70_000)).toMatchObject({ reads: 2 });
  });

  test('nor once its target is shown', () => {
    expect(look(requested, SENT + 60_000, moving('web-1'))?.state).toBe('progressing');
  });
});
