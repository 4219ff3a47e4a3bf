import { fleetOf, namesOf, pickOf, quiet, type Situations } from './situation.ts';

/** Lists that tell too little just when it counts. */
export const LISTS = {
  /** A list tells no versions when a wave has converged and the next one is half done. */
  'blind in the second wave': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 4)),
      rollSeconds: 20,
      policy: {
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
        bakeSeconds: 0,
        progressDeadlineSeconds: 600,
      },
      // What is refused is rolled later than the rest.
      writes: namesOf(drawn, 4)
        .slice(1)
        .map((endpoint, nth) => ({
          operation: 'roll',
          endpoint,
          nth: 1 + (nth % 2),
          kind: 'UpstreamConflict',
          seconds: 1,
        })),
      lists: [
        {
          kind: pickOf(pick, ['blind', 'dark']),
          fromSecond: 26 + (at % 40),
          seconds: 5 + (lasts % 50),
        },
      ],
    }),
  /** The clock jumps while no list can be read, or while all lists show an endpoint that is stuck. */
  'the clock jumps while it reads': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 2);
    const isStuck = pick % 2 === 0;
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        maxUnavailable: { percent: 100 },
        ...{ pollSeconds: 5, maxPollSeconds: 15, bakeSeconds: 0 },
        progressDeadlineSeconds: pickOf(pick, [180, 180, 600]),
      },
      broken: isStuck ? [{ endpoint: names[0] ?? '', kind: 'stuck', version: 2 }] : [],
      lists: isStuck ? [] : [{ kind: 'UpstreamTimeout', fromSecond: 15, seconds: 9000 }],
      clock: {
        fromSecond: 16 + at,
        seconds: 1 + (lasts % 60),
        offsetMs: pickOf(lasts, [3_600_000, -3_600_000, 30_000, -30_000]),
      },
      // A read takes as long as the wait before it, so that every second jump falls into one.
      latencyMs: pickOf(at, [2000, 5000]),
    });
  },
  /** Two reads in a row speak against an endpoint of an earlier wave, each in another way. */
  'doubted in two ways': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    const [first = ''] = names;
    const from = 25 + (at % 40);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 20,
      policy: {
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
        onFailure: 'stop-old',
        minServing: 0,
      },
      broken: [
        {
          endpoint: first,
          kind: pickOf(pick, ['crash', 'regress', 'vanish']),
          version: 2,
          afterSeconds: 10 + (at % 40),
        },
      ],
      lists: [
        { kind: pickOf(pick, ['dark', 'short', 'hidden', 'some']), fromSecond: from, seconds: 6 },
        { kind: 'UpstreamTimeout', fromSecond: from + 12, seconds: lasts },
      ],
    });
  },
  /** An endpoint of an earlier wave has two reads against it, each in another way, when somebody aborts. */
  'aborted when doubted in two ways': (drawn, { at, pick }) => {
    const [first = '', ...others] = namesOf(drawn, 3);
    return quiet(drawn, {
      endpoints: fleetOf([first, ...others]),
      rollSeconds: 5,
      policy: {
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
        ...{ pollSeconds: 5, maxPollSeconds: 5, bakeSeconds: 0, progressDeadlineSeconds: 600 },
        minServing: 0,
      },
      broken: [
        { endpoint: first, kind: 'crash', version: 2, afterSeconds: 20 + (pick % 5) },
        ...others.map((endpoint) => ({ endpoint, kind: 'slow', version: 2, rollSeconds: 90 })),
      ],
      lists: [{ kind: 'short', fromSecond: 22, seconds: 4 + (pick % 3) }],
      people: [{ kind: 'abort', onFailure: 'stop-old', atSecond: 25 + (at % 5) }],
      latencyMs: 0,
    });
  },
  /** A list speaks against the wave from the first read that shows it live up to the deadline, or after it. */
  'blind up to the deadline': (drawn, { at, pick }) => {
    const names = namesOf(drawn, 1);
    const [liveAt, hides] = [names.length > 1 ? 10 : 5, 1 + (at % 4)];
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        ...{ pollSeconds: 5, progressDeadlineSeconds: 90 },
        onFailure: pickOf(pick, ['hold', 'stop-old', 'roll-back']),
      },
      lists: [
        {
          kind: pickOf(at, ['blind', 'dark']),
          fromSecond: liveAt + hides,
          seconds: pickOf(pick, [90 - hides - (at % 6), 600]),
        },
      ],
      latencyMs: 0,
    });
  },
  /** Nobody can read the list up to the deadline, and just then it is aborted. */
  'aborted without a list': (drawn, { at, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 2)),
      rollSeconds: 60,
      policy: { progressDeadlineSeconds: 90 },
      lists: [{ kind: 'UpstreamTimeout', fromSecond: 10 + (at % 40), seconds: 900 }],
      word: { said: pickOf(pick, [null, 'hold', 'stop-old', 'roll-back']), at: 'close', nth: 1 },
    }),
  /** Nobody can read a list from the start on, for less than the deadline, for just as long or for longer. */
  'no list at its start': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 1)),
      rollSeconds: 5,
      policy: { progressDeadlineSeconds: pickOf(at, [90, 180]) },
      lists: [
        {
          kind: pickOf(pick, ['UpstreamTimeout', 'ListUnstable', 'UpstreamThrottled', 'empty']),
          fromSecond: 0,
          seconds: pickOf(at, [90, 180, lasts, 600]),
        },
      ],
      latencyMs: 0,
    }),
  /** Some endpoint is gone or blind from the moment on when it was live up to a word or a deadline. */
  'gone after it was live': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        onFailure: 'stop-old',
        ...{ pollSeconds: 5, maxPollSeconds: 15, progressDeadlineSeconds: 90, minServing: 0 },
      },
      broken: [{ endpoint: names.at(-1) ?? '', kind: 'stuck', version: 2 }],
      lists: [
        {
          kind: pickOf(pick, ['short', 'short', 'dark', 'some']),
          fromSecond: 20 + (at % 90),
          seconds: 5 + (lasts % 40),
        },
      ],
      people:
        lasts % 2 === 0 ? [{ kind: 'abort', onFailure: 'stop-old', atSecond: 24 + (at % 90) }] : [],
      latencyMs: 0,
    });
  },
} satisfies Situations;
