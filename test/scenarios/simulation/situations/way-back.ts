import { fleetOf, namesOf, pickOf, quiet, type Situations } from './situation.ts';

/** What turns around, or is undone. */
export const WAY_BACK = {
  /** It has told that it fails, and nobody goes on with it before everything has recovered. */
  'recovered while nobody looked': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 1);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      policy: { progressDeadlineSeconds: 90, minServing: 0 },
      broken: names
        .filter((_, nth) => nth % 2 === pick % 2 || nth === 0)
        .map((endpoint) => ({
          endpoint,
          kind: 'slow',
          version: 2,
          rollSeconds: 95 + (at % 60),
        })),
      death: {
        error: 'Killed',
        when: pick % 2 === 0 ? 'before' : 'after',
        point: 1 + (pick % 5),
        since: 'failing',
      },
      resumesAfter: lasts,
    });
  },
  /** It is on its way back, one after the other, and somebody says that this is enough. */
  'aborted on the way back': (drawn, { at, pick }) => {
    const names = namesOf(drawn, 4);
    const said = pickOf(pick, ['hold', 'stop-old', 'roll-back']);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 50 },
        onFailure: 'roll-back',
        progressDeadlineSeconds: 180,
      },
      broken: [{ endpoint: names.at(-1) ?? '', kind: 'fail', version: 2 }],
      word: { said, at: 'roll-back', nth: 1 + (at % 3) },
    });
  },
  /** A list tells no versions while endpoints go back. */
  'blind on the way back': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 4);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 20,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: pickOf(pick, [25, 50]) },
        onFailure: 'roll-back',
        progressDeadlineSeconds: 600,
      },
      broken: [{ endpoint: names.at(-1) ?? '', kind: 'fail', version: 2 }],
      // Only what was refused goes back after the others of its batch.
      writes: names.map((endpoint, nth) => ({
        operation: 'roll',
        endpoint,
        nth: 2,
        kind: (pick + nth) % 2 === 0 ? 'UpstreamConflict' : 'mute',
        seconds: 1,
      })),
      lists: [{ kind: 'blind', fromSecond: 30 + at, seconds: 5 + (lasts % 50) }],
    });
  },
  /** One endpoint is live and others are in mid-roll, a list tells no versions, and somebody wants all of them back. */
  'blind when it turns around': (drawn, { at, lasts }) => {
    const [first = '', ...others] = namesOf(drawn, 4);
    return quiet(drawn, {
      endpoints: fleetOf([first, ...others]),
      rollSeconds: 5,
      policy: {
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 50 },
        bakeSeconds: 0,
        ...{ pollSeconds: 5, maxPollSeconds: 15, progressDeadlineSeconds: 600 },
      },
      broken: others.map((endpoint) => ({ endpoint, kind: 'slow', version: 2, rollSeconds: 90 })),
      lists: [{ kind: 'blind', fromSecond: 12 + (lasts % 8), seconds: 10 + (lasts % 50) }],
      people: [{ kind: 'abort', onFailure: 'roll-back', atSecond: 14 + (at % 30) }],
      latencyMs: 0,
    });
  },
  /** The list still shows how it was before when somebody undoes it. */
  'undone before the list shows it': (drawn, { at, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 1)),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        bakeSeconds: 0,
        progressDeadlineSeconds: 180,
      },
      undo: { afterSeconds: 0, meanwhile: [], oldReads: 2 + (at % 3) + (pick % 2) },
      latencyMs: 0,
    }),
  /** All that is on its way fails for two reads. It has recovered when it goes back, or it is lost on its way. */
  'failed for two reads and turned around': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 4);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: pickOf(pick, [25, 50, 100]) },
        onFailure: 'roll-back',
        progressDeadlineSeconds: 180,
      },
      broken: names.flatMap((endpoint, nth) => [
        { endpoint, kind: 'slow', version: 2, rollSeconds: 60 + 20 * ((at + nth) % 3) },
        ...((lasts + nth) % 4 === 0 ? [{ endpoint, kind: 'fail', version: 1 }] : []),
      ]),
      writes: names.map((endpoint, nth) => ({
        operation: 'roll',
        endpoint,
        nth: 2,
        kind: pickOf(lasts + nth, [
          'mute',
          'UpstreamConflict',
          'queued',
          'lost',
          'UpstreamThrottled',
        ]),
        seconds: 1 + (lasts % 30),
      })),
      lists: [
        { kind: 'relapse', fromSecond: 8 + (at % 60), seconds: 55 },
        { kind: 'relapse', fromSecond: 70 + at, seconds: 55 },
      ],
      people:
        pick % 5 === 0
          ? [{ kind: 'stop', endpoint: names[at % 4] ?? '', atSecond: 30 + (lasts % 60) }]
          : [],
      latencyMs: 0,
    });
  },
  /** Nobody knows where some endpoints came from, and it turns around. */
  'nowhere to go back to': (drawn, { at, pick }) => {
    const names = namesOf(drawn, 2);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 20,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        onFailure: 'roll-back',
        progressDeadlineSeconds: 180,
      },
      broken: [
        { endpoint: pickOf(pick, [names.at(-1) ?? '', names[0] ?? '']), kind: 'fail', version: 2 },
      ],
      people: at % 3 === 0 ? [] : [{ kind: 'create', atSecond: 'before' }],
      lists: at % 3 === 1 ? [] : [{ kind: 'blind', fromSecond: 0, seconds: 3 }],
    });
  },
} satisfies Situations;
