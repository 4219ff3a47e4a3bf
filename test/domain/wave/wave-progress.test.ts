import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import type { Observation } from '../../../lib/domain/endpoint/observation.ts';
import type { WaveProgress } from '../../../lib/domain/rollout/record.ts';
import { advanceProgress, beginWave, resumeProgress } from '../../../lib/domain/wave/progress.ts';
import { observation } from '../arbitraries.ts';
import { line, planBackOf, planOf, progressOf, recordOf, seen } from '../examples.ts';

const plan = planOf([3, 3]);

/** Both clocks say the same, unless an example is about what lies between them. */
const clockAt = (moment: number) => ({ at: moment, watched: moment });

const begin = (wave = 0, now = 0, before?: WaveProgress) =>
  beginWave(plan, wave, clockAt(now), before);

const advance = (
  before: WaveProgress,
  observations: readonly Observation[],
  now: number,
  journal: readonly JournalEntry[] = [],
) => {
  const read = { observations, clock: clockAt(now), readAt: now, isAsked: false };
  return advanceProgress(recordOf(journal), plan, before, read);
};

const progressedAtOf = ({ clock, stuckMs }: WaveProgress) => clock.watched - stuckMs;

/** Reads one after the other, a second apart; answers when the wave last got further. */
function progressedAt(reads: readonly (readonly Observation[])[]): number[] {
  let progress = begin();
  return reads.map((observations, index) => {
    progress = advance(progress, observations, (index + 1) * 1000);
    return progressedAtOf(progress);
  });
}

/** Reads that agree are counted: each says how often its endpoint was seen so, one after the other. */
function counted(reads: readonly (readonly Observation[])[]): readonly (readonly Observation[])[] {
  const last: Observation[] = [];
  return reads.map((read) =>
    read.map((one, index) => {
      const before = last[index];
      const seenSo = { ...one, reads: before?.state === one.state ? before.reads + 1 : 1 };
      last[index] = seenSo;
      return seenSo;
    }),
  );
}

const requested = seen('requested');
const progressing = seen('progressing');
const converged = seen('converged');

describe('beginWave', () => {
  test('starts the deadline, and takes over what was observed of the waves before', () => {
    const observations = [converged, converged];
    const before = progressOf(0, observations, {
      silentMs: 3000,
      bakedMs: 4000,
      readFault: 'UpstreamTimeout',
      looks: 9,
      fastestRollMs: 5000,
    });
    expect(begin(1, 7000, before)).toEqual({
      direction: 'forward',
      wave: 1,
      clock: clockAt(7000),
      readAt: 7000,
      heard: 'work',
      stuckMs: 0,
      silentMs: 0,
      bakedMs: null,
      askedMs: 0,
      looks: 9,
      fastestRollMs: 5000,
      furthest: 6,
      observations,
    });
  });

  test('what the waves before had reached is no progress of this one', () => {
    const there = seen('converged', 2);
    const begun = begin(1, 0, progressOf(0, [there, there]));
    const same = advance(begun, [there, there, seen('pending')], 1000);
    expect(same.stuckMs).toBe(1000);
    const further = advance(same, [there, there, requested], 2000);
    expect(further.stuckMs).toBe(0);
  });
});

describe('advanceProgress', () => {
  /** What becomes of a deadline that has run for as long as its last roll is ago. */
  const RUNS = 0;
  const STANDS_STILL = 1000;
  const ANEW = (at: number) => at + 1000;

  test.each<[string, JournalEntry['result'][], Observation, number, number]>([
    ['nobody knows whether it was sent', ['intended'], seen('requested', 5), 59_999, ANEW(59_999)],
    ['the call had no answer', ['intended', 'unknown'], seen('requested', 5), 59_999, ANEW(59_999)],
    ['and few reads show that', ['intended'], seen('requested', 1), 59_999, ANEW(59_999)],
    [
      'it was due to be made again at the last read',
      ['intended'],
      seen('requested', 5),
      60_000,
      RUNS,
    ],
    [
      'reads are still too few to make it again',
      ['intended'],
      seen('requested', 2),
      99_000,
      STANDS_STILL,
    ],
    ['it was made again', ['intended', 'intended'], seen('requested', 5), 10_000, RUNS],
    ['the service took it', ['intended', 'accepted'], seen('requested', 5), 10_000, RUNS],
    ['it shows', ['intended'], seen('progressing', 5), 10_000, RUNS],
  ])(
    'A05: the deadline of a roll that may have to be made again: %s',
    (_, results, said, at, progressedAt) => {
      const [one] = plan.endpoints;
      const journal = results.map((result) => ({
        ...line('roll', one?.endpointId ?? '', result),
      }));
      const furthest = 9;
      const before = progressOf(0, [said], { stuckMs: at, furthest, readAt: at });
      const after = advance(before, [{ ...said, reads: said.reads + 1 }], at + 1000, journal);
      expect(progressedAtOf(after)).toBe(progressedAt);
    },
  );

  test.each<[string, Observation, Observation]>([
    ['lacks the endpoint now and then', seen('missing', 1), seen('requested', 1)],
    [
      'shows it live and then not',
      seen('requested', 1),
      { ...seen('progressing', 1), since: 99_000 },
    ],
  ])('H06: a list that %s holds no deadline for ever', (_, was, is) => {
    const [one] = plan.endpoints;
    const before = progressOf(0, [was], { stuckMs: 99_000, furthest: 9, readAt: 99_000 });
    const journal = [line('roll', one?.endpointId ?? '', 'intended')];
    const later = advance(advance(before, [is], 100_000, journal), [was], 101_000, journal);
    expect(later.stuckMs).toBeGreaterThanOrEqual(100_000);
  });

  test.each<[string, Partial<Observation>, boolean]>([
    ['it may be an old answer', { since: 0 }, true],
    ['it has been seen on its way', { since: 0, hadTarget: true }, false],
    ['it is not live', {}, false],
  ])(
    'A05: while an endpoint that looks live has to be proven, the deadline stands still: %s',
    (_, said, isHeld) => {
      const looksLive = { ...seen('progressing', 5), ...said };
      const before = progressOf(0, [looksLive], { furthest: 9 });
      expect(advance(before, [looksLive], 1000).stuckMs).toBe(isHeld ? 0 : 1000);
    },
  );

  test('A05: nor does it run while an earlier target, or a gap in the list, has to be shown for longer', () => {
    for (const state of ['reverted', 'missing'] as const) {
      const held = progressOf(0, [{ ...seen(state, 1), since: 0 }], {
        stuckMs: 5_000,
        furthest: 9,
      });
      const after = advance(held, [{ ...seen(state, 2), since: 0 }], 10_000);
      expect(after).toMatchObject({ heard: 'proof', stuckMs: 5_000 });
    }
  });

  test('H06: of a list that lacks endpoints in turn some part always agrees, and that holds no deadline', () => {
    const gone = (reads: number) => ({ ...seen('missing', reads), since: 0, furthest: 4 });
    const live = { ...seen('converged', 1), furthest: 4 };
    // Each is lacked by two lists in a row, and is in the third.
    const turns = [
      [gone(2), live, gone(1)],
      [live, gone(1), gone(2)],
      [gone(1), gone(2), live],
    ];
    let progress = progressOf(0, turns[2] ?? [], { bakedMs: 0, furthest: 12 });
    for (let look = 1; look <= 30; look += 1) {
      progress = advance(progress, turns[(look - 1) % 3] ?? [], look * 1000);
    }
    expect(progress.stuckMs + progress.silentMs).toBeGreaterThanOrEqual(10_000);
  });

  test('H07, H11: it does not begin anew: what looks live every other time stalls in the end', () => {
    const looksLive: Observation = { ...seen('progressing', 1), since: 5_000 };
    const before = progressOf(0, [looksLive], { stuckMs: 5_000, furthest: 9, readAt: 5_000 });
    expect(advance(before, [looksLive], 15_000).stuckMs).toBe(5_000);
  });

  test.each<[string, Observation[][], number[]]>([
    [
      'each step on the way moves the deadline',
      [[requested], [progressing], [converged]],
      [1000, 2000, 3000],
    ],
    ['the same again does not', [[progressing], [progressing]], [1000, 1000]],
    ['nothing rolled is no progress', [[seen('pending')], [seen('pending')]], [0, 0]],
    [
      'one of many is enough',
      [
        [progressing, requested],
        [progressing, progressing],
      ],
      [1000, 2000],
    ],
    [
      'H07: an endpoint that flaps is no progress',
      [[converged], [progressing], [converged]],
      [1000, 1000, 2000],
    ],
    [
      'nor is one that comes and goes, whatever the list says of it in between',
      [[progressing], [seen('missing')], [progressing]],
      [1000, 1000, 1000],
    ],
  ])('%s', (_, reads, moments) => {
    expect(progressedAt(reads)).toEqual(moments);
  });

  test('keeps the wave and takes the observations as they are', () => {
    const progress = advance(begin(4), [converged, requested], 7);
    expect(progress).toMatchObject({ wave: 4, observations: [converged, requested] });
  });

  test('H26: every complete read is remembered, progress or not', () => {
    const once = advance(begin(), [requested], 1000);
    expect(once).toMatchObject({ stuckMs: 0, readAt: 1000 });
    expect(advance(once, [requested], 2000)).toMatchObject({ stuckMs: 1000, readAt: 2000 });
  });

  test("X10, L07: only what the rollout's clock shows counts, whatever the machine's says", () => {
    const before = advance(begin(), [requested], 1000);
    const clock = { at: 1000 - 3_600_000, watched: 16_000 };
    const after = advanceProgress(recordOf(), plan, before, {
      ...{ observations: [requested], clock, readAt: clock.at, isAsked: false },
    });
    expect(after).toMatchObject({ stuckMs: 15_000, readAt: clock.at, clock });
  });

  test('H26: a complete read ends the time in which nothing could be read, and nothing has come of it', () => {
    const silence = { heard: 'silence', silentMs: 500, readFault: 'UpstreamTimeout' } as const;
    const unreadable = progressOf(0, [requested], { ...silence, stuckMs: 40, furthest: 9 });
    const heard = advance(unreadable, [requested], 1000);
    expect(heard).toMatchObject({ heard: 'work', stuckMs: 1040, silentMs: 0 });
    expect(heard).not.toHaveProperty('readFault');
  });

  test('H23: lists that tell nothing are silence, and neither ends the other', () => {
    const silent = { ...converged, reads: 0, furthest: 4, isSilent: true as const };
    const before = progressOf(0, [silent], { bakedMs: 0, furthest: 9, stuckMs: 70 });
    const again = advance(before, [silent], 1000);
    expect(again).toMatchObject({ heard: 'silence', stuckMs: 70, silentMs: 1000 });
    expect(advance(again, [seen('failed', 1)], 2500)).toMatchObject({
      ...{ heard: 'work', stuckMs: 70, silentMs: 2500 },
    });
  });

  test('the first cause is no time yet', () => {
    const well = progressOf(0, [seen('converged', 2)], { bakedMs: 0, furthest: 9 });
    const one = { ...seen('failed', 1), furthest: 4 };
    const first = advance(well, [one], 60_000);
    expect(first).toMatchObject({ heard: 'work', stuckMs: 0 });
    expect(advance(first, [one], 75_000)).toMatchObject({ stuckMs: 15_000 });
  });

  test('a yes of gates that is waited for is not heard by a look at the list', () => {
    const watch = { dueAt: 0, cursor: 0, noes: [], unsaidMs: 4_000 };
    const before = progressOf(0, [seen('converged', 2)], { watch });
    expect(advance(before, [seen('converged', 3)], 1_000).watch).toEqual({
      ...watch,
      unsaidMs: 5_000,
    });
  });

  test('every look counts', () => {
    expect(advance(progressOf(0, [requested], { looks: 9 }), [requested], 1000).looks).toBe(10);
  });

  describe('a bake', () => {
    const well = seen('converged', 2);
    const long = planOf([3, 3], { waves: [{ from: 0, to: 3, bakeSeconds: 300 }] });
    const bakedAfter = (said: Partial<WaveProgress>, now: number, one = well) => {
      const before = progressOf(0, [well], { furthest: 9, ...said });
      const read = { observations: [one], clock: clockAt(now), readAt: now, isAsked: false };
      return advanceProgress(recordOf(), long, before, read).bakedMs;
    };

    test('goes on between two looks that found the wave well, by the clock, and no longer than it has to', () => {
      expect(bakedAfter({ bakedMs: 0 }, 60_000)).toBe(60_000);
      expect(bakedAfter({ bakedMs: 120_000 }, 75_000)).toBe(195_000);
      expect(bakedAfter({ bakedMs: 280_000 }, 60_000)).toBe(300_000);
      expect(bakedAfter({ bakedMs: null }, 60_000)).toBeNull();
    });

    test('stands still while something speaks against the wave, or nothing is heard', () => {
      expect(bakedAfter({ bakedMs: 120_000 }, 60_000, seen('failed', 1))).toBe(120_000);
      expect(bakedAfter({ bakedMs: 120_000, heard: 'work' }, 60_000)).toBe(120_000);
      expect(bakedAfter({ bakedMs: 120_000, heard: 'silence' }, 60_000)).toBe(120_000);
    });
  });

  describe('the time of an approval', () => {
    const askedAfter = (said: Partial<WaveProgress>, isAsked = true) => {
      const before = progressOf(0, [seen('converged', 2)], { bakedMs: 0, askedMs: 5_000, ...said });
      const observations = [seen('converged', 3)];
      const read = { observations, clock: clockAt(60_000), readAt: 60_000, isAsked };
      return advanceProgress(recordOf(), plan, before, read).askedMs;
    };

    test('runs since somebody was asked, and while nothing keeps the wave', () => {
      expect(askedAfter({}, false)).toBe(5_000);
      expect(askedAfter({})).toBe(65_000);
      expect(askedAfter({ heard: 'work' })).toBe(5_000);
      expect(askedAfter({ heard: 'silence' })).toBe(5_000);
      const watch = { dueAt: 0, cursor: 0, noes: [], unsaidMs: 0 };
      expect(askedAfter({ watch })).toBe(5_000);
      expect(askedAfter({ isPaused: true })).toBe(5_000);
    });
  });

  test('invariant 14: the deadline moves only so often, whatever the endpoints do', () => {
    const reads = fc
      .integer({ min: 1, max: 4 })
      .chain((size) =>
        fc.array(fc.array(observation, { minLength: size, maxLength: size }), { maxLength: 60 }),
      );
    fc.assert(
      fc.property(reads.map(counted), (waves) => {
        // One that is never rolled: a wave that has converged bakes, and is no more on its way.
        let progress = begin();
        const moves = waves.filter((read, index) => {
          const before = progressedAtOf(progress);
          progress = advance(progress, [...read, seen('pending')], (index + 1) * 1000);
          // Time in which only proof is missing counts for nothing.
          return progressedAtOf(progress) > before && progress.heard !== 'proof';
        });
        const size = waves[0]?.length ?? 0;
        expect(moves.length).toBeLessThanOrEqual(4 * size + 1);
      }),
    );
  });
});

test.each([70_000, 10, -3_600_000])(
  'X03: whoever resumes a rollout has watched none of the %i ms since its last look',
  (awayMs) => {
    const looksLive: Observation = { ...seen('progressing', 1), since: 5_000 };
    const before = progressOf(0, [requested, looksLive], {
      ...{ stuckMs: 20_000, silentMs: 9_000, readAt: 21_000 },
    });
    // The last write came after the look.
    const last = { at: 23_000, watched: 22_500 };
    const at = 23_000 + awayMs;
    const resumed = resumeProgress(before, last, at);
    expect(resumed).toEqual({
      ...before,
      clock: { at, watched: 22_500 },
      resumed: 22_500,
    });
    expect(resumeProgress(resumed, resumed.clock, at)).toEqual(resumed);
  },
);

describe('the fastest roll', () => {
  const rolledAt = (at: number, id = 'web-1') => ({ ...line('roll', id, 'accepted'), watched: at });
  const fastest = (
    observations: readonly Observation[],
    journal: readonly JournalEntry[],
    before = begin(),
  ) => advance(before, observations, 30_000, journal).fastestRollMs;

  test('is learned from the endpoint that got there first', () => {
    expect(fastest([progressing], [rolledAt(10_000)])).toBeNull();
    expect(fastest([converged], [rolledAt(10_000)])).toBe(20_000);
    const both = [rolledAt(10_000), rolledAt(18_000, 'web-2')];
    expect(fastest([converged, converged], both)).toBe(12_000);
  });

  test('is learned from the first read, also where that one is enough', () => {
    const isThere = [seen('converged', 2)];
    expect(fastest(isThere, [rolledAt(10_000)])).toBe(20_000);
    const before = progressOf(0, [converged]);
    expect(fastest(isThere, [rolledAt(10_000)], before)).toBeNull();
  });

  test.each<[string, Observation[], number]>([
    ['nobody has looked at it before', [], 18_000],
    ['it was not rolled at the last look', [seen('pending')], 18_000],
    ['a look has shown it on its way', [progressing], 20_000],
  ])('later rollouts learn less than the first look shows: %s', (_, observations, learnt) => {
    const before = progressOf(0, observations);
    const { learntRollMs } = advance(before, [converged], 30_000, [rolledAt(10_000)]);
    expect(learntRollMs).toBe(learnt);
    const later = advance({ ...before, learntRollMs: 5_000 }, [converged], 30_000);
    expect(beginWave(plan, 1, clockAt(0), later).learntRollMs).toBe(5_000);
  });

  test.each<[string, Observation[], JournalEntry[]]>([
    ['one that this rollout did not roll', [converged], []],
    ['one that was only stopped', [converged], [line('stop', 'web-1', 'accepted')]],
  ])('is not learned from %s', (_, observations, journal) => {
    expect(fastest(observations, journal)).toBeNull();
  });

  test('X04: is not learned from a roll of before another process took over, which nobody watched', () => {
    const before = resumeProgress(begin(), clockAt(20_000), 20_000);
    expect(fastest([converged], [rolledAt(10_000)], before)).toBeNull();
    expect(fastest([converged], [rolledAt(20_000)], before)).toBe(10_000);
  });

  test('is not learned from what looked live long before that was proven', () => {
    const looksLive = { ...seen('progressing', 4), since: 12_000 };
    const onItsWay = { ...looksLive, hadTarget: true as const };
    expect(fastest([converged], [rolledAt(10_000)], progressOf(0, [looksLive]))).toBeNull();
    expect(fastest([converged], [rolledAt(10_000)], progressOf(0, [onItsWay]))).toBe(20_000);
  });

  test('only a faster one takes its place', () => {
    const before = progressOf(0, [], { fastestRollMs: 15_000 });
    expect(fastest([converged], [rolledAt(10_000)], before)).toBe(15_000);
    expect(fastest([converged], [rolledAt(20_000)], before)).toBe(10_000);
  });

  test('on the way back counts from the write that turned the endpoint around', () => {
    const journal = [
      rolledAt(1_000),
      { ...line('roll-back', 'web-1', 'accepted'), watched: 25_000 },
    ];
    const back = planBackOf(1);
    const before = beginWave(back, 0, clockAt(0));
    expect(before.direction).toBe('back');
    const read = {
      observations: [converged],
      clock: clockAt(30_000),
      readAt: 30_000,
      isAsked: false,
    };
    expect(advanceProgress(recordOf(journal), back, before, read).fastestRollMs).toBe(5_000);
  });
});
