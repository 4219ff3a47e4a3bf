import type { Ordeal } from '../ordeal.ts';
import { fleetOf, NO_GATES, namesOf, pickOf, quiet, type Situations } from './situation.ts';

/** What somebody moves, rejects or cannot see when it turns around, or before that. */
export const TAKEN_BACK = {
  /** Somebody else moves or stops endpoints while they go back, or just before that. */
  'moved on the way back': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 4);
    const [first = '', second = ''] = names;
    const turnsAt = 20 + (lasts % 20);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 20,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: pickOf(lasts, [50, 100]) },
        ...{ pollSeconds: 5, maxPollSeconds: 15, progressDeadlineSeconds: 180 },
      },
      broken: pick % 4 === 0 ? [{ endpoint: names[2] ?? '', kind: 'stuck', version: 1 }] : [],
      people: [
        { kind: 'abort', onFailure: 'roll-back', atSecond: turnsAt },
        pick % 2 === 0
          ? { kind: 'move', endpoint: first, version: 5, atSecond: turnsAt - 8 + (at % 60) }
          : { kind: 'stop', endpoint: first, atSecond: turnsAt - 8 + (at % 60) },
        ...(pick % 3 === 0
          ? [{ kind: 'move' as const, endpoint: second, version: 7, atSecond: turnsAt - 1 }]
          : []),
      ],
      latencyMs: 0,
    });
  },
  /** The service takes the version back by itself, of one endpoint or of two, on its way or in the bake. */
  'taken back by its service': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 4);
    const [first = '', second = '', third = ''] = names;
    const status = pickOf(lasts, ['ACTIVE', 'ACTIVE', 'ERROR']);
    const taken = { kind: 'take-back', version: 2, status, reason: 'It was not well.' };
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: pickOf(at, [5, 20]),
      policy: {
        waves: [{ endpoints: 2 }, { percent: 100 }],
        maxUnavailable: { percent: pickOf(lasts, [25, 100]) },
        onFailure: pickOf<Ordeal['policy']['onFailure']>(pick, [
          { stuck: 'stop-old', bad: 'roll-back' },
          { stuck: 'roll-back', bad: 'hold' },
          { stuck: 'hold', bad: 'stop-old' },
          'roll-back',
        ]),
        failureThreshold: { endpoints: pick % 2 },
        bakeSeconds: pickOf(pick, [0, 180]),
        ...{ pollSeconds: 5, maxPollSeconds: 15, minServing: 0 },
        progressDeadlineSeconds: pickOf(at, [90, 180, 600]),
      },
      broken: [
        { ...taken, endpoint: pickOf(at, [first, third]), afterSeconds: 1 + (lasts % 90) },
        ...(pick % 3 === 0 ? [{ ...taken, endpoint: second, afterSeconds: 1 + (at % 60) }] : []),
        ...(pick % 3 === 1 ? [{ endpoint: second, kind: 'stuck', version: 2 }] : []),
      ],
      latencyMs: 0,
    });
  },
  /** Somebody undoes it, and its first wave has an endpoint that is somebody else's by then. */
  'undone without its first endpoint': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 4);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [
          { endpoints: 1 + (at % 2) },
          { names: [pickOf(pick, ['*-04', '*-03', '*-02'])] },
          { percent: 100 },
        ],
        maxUnavailable: { percent: 100 },
        ...{ bakeSeconds: 0, progressDeadlineSeconds: 180 },
      },
      undo: {
        afterSeconds: lasts % 60,
        meanwhile: [{ endpoint: names[0] ?? '', version: pickOf(pick, [5, null, 1]) }],
        oldReads: 0,
      },
      latencyMs: 0,
    });
  },
  /** The first list tells no versions, so nobody knows where the endpoints would go back to. */
  'blind when it is planned': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 2);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 20,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        onFailure: pickOf(pick, ['roll-back', 'roll-back', 'stop-old']),
        ...{ minServing: 0, progressDeadlineSeconds: 90 },
      },
      broken: [{ endpoint: names[at % names.length] ?? '', kind: 'fail', version: 2 }],
      lists: [{ kind: 'blind', fromSecond: 0, seconds: 1 + (lasts % 6) }],
      people: pick % 3 === 0 ? [{ kind: 'abort', onFailure: 'roll-back', atSecond: 10 + at }] : [],
    });
  },
  /** Rolls on the way back are so quick that no list shows them, and one of them gets stuck. */
  'back before anybody saw it': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        onFailure: 'roll-back',
        ...{ pollSeconds: 15, maxPollSeconds: 30, progressDeadlineSeconds: pickOf(at, [90, 187]) },
      },
      broken: [
        { endpoint: names.at(-1) ?? '', kind: 'fail', version: 2 },
        ...(pick % 3 === 0 ? [] : [{ endpoint: names[0] ?? '', kind: 'stuck', version: 1 }]),
      ],
      writes: names.slice(1).map((endpoint, nth) => ({
        ...{ operation: 'roll', endpoint, nth: 2, seconds: 1 + (lasts % 20) },
        kind: pickOf(pick + nth, ['mute', 'mute', 'unheard', 'late']),
      })),
      latencyMs: 0,
    });
  },
  /** Somebody is asked about a wave, and says no, or says yes too early or too late. */
  'rejected by somebody': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 2)),
      rollSeconds: 5,
      policy: {
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
        ...{ bakeSeconds: pickOf(lasts, [0, 30]), progressDeadlineSeconds: 180 },
        verify: {
          ...NO_GATES,
          approval: { timeoutSeconds: 120, onTimeout: pickOf(at, ['approve', 'reject']) },
        },
      },
      people: [
        { kind: pickOf(pick, ['approve', 'reject']), wave: 0, atSecond: 5 + at },
        { kind: pickOf(pick + lasts, ['reject', 'approve']), wave: 1, atSecond: 10 + 2 * at },
      ],
    }),
  /** Nobody can read the list while somebody is asked. */
  'unreadable while somebody is asked': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 2)),
      rollSeconds: 5,
      policy: {
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
        ...{ bakeSeconds: pickOf(lasts, [0, 30]), progressDeadlineSeconds: 600 },
        verify: {
          ...NO_GATES,
          approval: { timeoutSeconds: 120, onTimeout: pickOf(pick, ['approve', 'reject']) },
        },
      },
      lists: [{ kind: 'UpstreamTimeout', fromSecond: 10 + at, seconds: 10 + (lasts % 200) }],
    }),
} satisfies Situations;
