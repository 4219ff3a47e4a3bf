import type { Ahead, Ordeal } from '../ordeal.ts';
import { fleetOf, namesOf, pickOf, quiet, type Situations } from './situation.ts';

/** What a rollout goes through before it begins. */
export const OPENING = {
  /** The version is made, or listed, just when the patience ends, or it never is. */
  'waits for its version': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 1)),
      rollSeconds: 5,
      policy: {
        progressDeadlineSeconds: pickOf(at, [45, 60, 90, 180]),
        maxVersionStep: pickOf(at, [1, 2, 1_000]),
      },
      asked: {
        kind: 'listed',
        version: pick % 2 === 0 ? 2 : 'latest',
        state: pickOf(lasts, ['making', 'unlisted', 'failing', 'unlisted', 'secret', 'ready']),
        seconds: Math.max(0, 15 * (at % 13) + (pick % 3) - 1),
        isNewest: lasts % 4 > 0,
      },
      latencyMs: 0,
    }),
  /** Its process dies just when its plan is made, and the fleet grows before it is resumed. */
  'the fleet grows around its plan': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 2)),
      rollSeconds: 5,
      death: {
        error: pickOf(pick, ['Killed', 'Killed', 'LedgerUnavailable']),
        when: pickOf(lasts, ['after', 'before']),
        point: 6 + (at % 4),
        since: null,
      },
      resumesAfter: 10 + (lasts % 60),
      people: [{ kind: 'create', atSecond: 1 + (at % 10) }],
      latencyMs: pickOf(pick, [0, 1000]),
    }),
  /** It says who asks and at which service, or that service takes no version as high as this one. */
  'asked by somebody': (drawn, { at, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 1)),
      rollSeconds: 5,
      asked:
        pick % 4 === 0
          ? { kind: 'highest', version: pickOf(at, [1, 2]) }
          : {
              kind: 'by',
              who: pickOf(at, ['person', 'release']),
              askedAfter: pickOf(pick, [-3600, -1, 0, 3600]),
              service: pickOf(at, [null, 'ours', 'another']),
            },
      earlier: pick % 3 === 1 ? { ...EARLIER, version: pickOf(at, [1, 3]), askedAfter: -60 } : null,
      policy: { onConflict: pickOf(at, ['latest', 'refuse']) },
      undo: null,
      latencyMs: 0,
    }),
  /** A newer one was asked for, and waits, has begun, was taken back, or never looks again. */
  'a newer one is ahead': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 1)),
      rollSeconds: 5,
      ahead: aheadOf(at, lasts, pick),
      opensAfter: pickOf(pick, [0, 0, 900]),
      policy: { onConflict: pickOf(at, ['latest', 'refuse']) },
      people: pick < 50 ? [] : [{ kind: 'stale', atSecond: 300 + (at % 60) }],
      undo: null,
      latencyMs: pickOf(at, [0, 0, 300]),
    }),
  /** While it waits for the other one, a third one is asked for. */
  'a third one comes': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 1)),
      rollSeconds: 5,
      policy: { onConflict: 'latest' },
      earlier: {
        ...EARLIER,
        version: pickOf(lasts, [1, 3]),
        endsAfter: 600 + lasts,
        givesWayAfter: pickOf(at, [null, 100]),
      },
      people: [
        { kind: pickOf(pick, ['stale', 'twin', 'rival', 'lower']), atSecond: 5 + (at % 90) },
      ],
      undo: null,
      latencyMs: 0,
    }),
  /** The other one was asked for at the same time, so that only the version or the id says which of them is newer. */
  'asked for at the same time': (drawn, { at, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 1)),
      rollSeconds: 5,
      policy: { onConflict: pickOf(at, ['latest', 'latest', 'refuse']) },
      earlier: {
        ...EARLIER,
        version: pickOf(pick, [2, 2, 1, 3]),
        askedAfter: 0,
        rolloutId: pickOf(at, ['earlier', 'the-earlier']),
        isUnknown: pick % 3 === 0,
      },
      undo: null,
      latencyMs: 0,
    }),
  /** Somebody approves it, or a newer one has asked it to give way before, when a newer one asks it, too. */
  'asked again before it looks': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 1)),
      rollSeconds: 400,
      policy: {
        onConflict: 'latest',
        ...{ pollSeconds: 300, maxPollSeconds: 300, progressDeadlineSeconds: 2400 },
      },
      people: [
        pick % 2 === 0
          ? { kind: 'rival', atSecond: 30 + (at % 30) }
          : { kind: 'approve', wave: 0, atSecond: 30 + (at % 30) },
        { kind: 'rival', atSecond: 70 + (lasts % 100) },
      ],
      undo: null,
      latencyMs: 0,
    }),
  /** While it waits for its window, a third one is asked for that does not. */
  'a third one does not wait': (drawn, { at, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 1)),
      rollSeconds: 5,
      policy: { onConflict: pickOf(at, ['latest', 'refuse']) },
      opensAfter: 900,
      people: [
        {
          kind: pickOf(pick, ['stale', 'stale', 'twin', 'rival', 'lower']),
          atSecond: 400 + 5 * (at % 100),
        },
      ],
      undo: null,
      latencyMs: 0,
    }),
  /** Nobody can read the list, or it tells nothing, when the other one is to be asked to give way. */
  'asks without a list': (drawn, { lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 1)),
      rollSeconds: 5,
      policy: { onConflict: 'latest', progressDeadlineSeconds: 180 },
      earlier: { ...EARLIER, endsAfter: 500, givesWayAfter: 1 + (lasts % 60) },
      lists: [
        {
          kind: pickOf(pick, ['empty', 'UpstreamTimeout', 'UpstreamAuth', 'empty', 'ListUnstable']),
          fromSecond: 0,
          seconds: 1 + (lasts % 100),
        },
      ],
      undo: null,
      latencyMs: 0,
    }),
  /** Its process stands still just when the other one ends. */
  'the other one ends meanwhile': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 1)),
      rollSeconds: 5,
      policy: { onConflict: 'latest' },
      earlier: { ...EARLIER, endsAfter: 10 + (lasts % 30), version: pickOf(at, [1, 2]) },
      stall: {
        point: 1 + (pick % 12),
        at: 'any',
        when: pickOf(at, ['before', 'after']),
        seconds: 60,
        isRaced: false,
      },
      undo: null,
      latencyMs: 0,
    }),
} satisfies Situations;

/** It is older, and gives way to nobody. */
const EARLIER: NonNullable<Ordeal['earlier']> = {
  version: 1,
  askedAfter: -3600,
  endsAfter: 300,
  isDead: false,
  givesWayAfter: null,
  rolloutId: 'earlier',
  isUnknown: false,
  isElsewhere: false,
};

function aheadOf(at: number, lasts: number, pick: number): Ahead {
  const wakesAfter = pickOf(pick, [null, 0, 1, 900, 915, -300, -301, -285, 0, null]);
  return {
    version: pickOf(lasts, [1, 2, 3]),
    askedAfter: pickOf(at, [-1, 0, 0, 1, 1, 300, 301]),
    wakesAfter,
    // What has begun waits no more, and nobody can take it back.
    state:
      wakesAfter === null ? 'unknown' : pickOf(at + lasts, ['unknown', 'waiting', 'taken back']),
  };
}
