import { fleetOf, namesOf, pickOf, quiet, type Situations } from './situation.ts';

/** Rolls that get lost, are slow or are refused. */
export const ROLLS = {
  /** One that is lost within the threshold has got further before, and the others are as slow as they may be. */
  'lost beside slow ones': (drawn, { at, pick }) => {
    const [first = '', ...others] = namesOf(drawn, 4);
    return quiet(drawn, {
      endpoints: fleetOf([first, ...others]),
      rollSeconds: 5,
      policy: {
        failureThreshold: { endpoints: 1 },
        onFailure: 'hold',
        progressDeadlineSeconds: 90,
      },
      broken: [
        { endpoint: first, kind: 'crash', version: 2, afterSeconds: 8 + (at % 60) },
        ...others.map((endpoint, nth) => ({
          endpoint,
          kind: 'slow',
          version: 2,
          rollSeconds: 40 + 10 * ((pick + nth) % 5),
        })),
      ],
    });
  },
  /** In a later wave as many are lost as may be, or one more: they fail, or the service never rolls them. */
  'lost in a later wave': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 5);
    const lost = names.slice(-1 - (pick % 3));
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ endpoints: pickOf(at, [1, 2]) }, { percent: 100 }],
        maxUnavailable: { percent: pickOf(lasts, [50, 100]) },
        failureThreshold: { percent: pickOf(at, [25, 34, 50]) },
        onFailure: pickOf(lasts, ['hold', 'stop-old', 'roll-back']),
        ...{ bakeSeconds: 0, minServing: 0, progressDeadlineSeconds: 600 },
      },
      broken: lost
        .slice(0, pickOf(lasts, [3, 1]))
        .map((endpoint) => ({ endpoint, kind: 'fail', version: 2 })),
      writes: lost
        .slice(pickOf(lasts, [3, 1]))
        .flatMap((endpoint) =>
          [1, 2].map((nth) => ({ operation: 'roll', endpoint, nth, kind: 'ignored', seconds: 1 })),
        ),
      latencyMs: 0,
    });
  },
  /** The deadline is over before a roll that got lost may be made once more. */
  'lost with a short deadline': (drawn, { pick }) => {
    const names = namesOf(drawn, 1);
    const kind = pickOf(pick, ['lost', 'forgotten', 'unheard']);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: { progressDeadlineSeconds: 45, maxPollSeconds: 15 },
      writes: names
        .filter((_, nth) => (pick + nth) % 3 === 0)
        .flatMap((endpoint) =>
          [1, 2]
            .slice(0, 1 + (pick % 2))
            .map((nth) => ({ operation: 'roll', endpoint, nth, kind, seconds: 1 })),
        ),
    });
  },
  /** The roll has a time from the future, which the clock takes long to come to. */
  'lost while the clock is ahead': (drawn, { at, pick }) => {
    const names = namesOf(drawn, 1).slice(0, 2);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      clock: { fromSecond: 0, seconds: 1 + at, offsetMs: 3_600_000 },
      writes: names.flatMap((endpoint, nth) =>
        [1, 2, 3].slice(0, pickOf(pick, [1, 1, 2, 3])).map((time) => ({
          operation: 'roll',
          endpoint,
          nth: time,
          kind: (pick + nth) % 2 === 0 ? 'forgotten' : 'lost',
          seconds: 1,
        })),
      ),
    });
  },
  /** A list does not show for a minute what was rolled, and the service refuses to roll it once more. */
  'refused once more': (drawn, { at, pick }) => {
    const names = namesOf(drawn, 2);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        onFailure: pickOf(pick, ['stop-old', 'roll-back']),
        ...{ minServing: 0, progressDeadlineSeconds: 180 },
      },
      broken: names.map((endpoint) => ({ endpoint, kind: 'stuck', version: 2 })),
      writes: names.flatMap((endpoint) => [
        { operation: 'roll', endpoint, nth: 1, kind: 'mute', seconds: 1 },
        { operation: 'roll', endpoint, nth: 2, kind: 'UpstreamRejected', seconds: 1 },
      ]),
      lists: [{ kind: 'frozen', fromSecond: 1, seconds: 120 + (at % 60) }],
    });
  },
  /** Some endpoints are live, and the others get stuck up to their deadline. */
  'stuck up to the deadline': (drawn, { at, pick }) => {
    const names = namesOf(drawn, 1);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: { progressDeadlineSeconds: pickOf(at, [90, 187, 299]), minServing: 0 },
      broken: names
        .filter((_, nth) => nth % 3 === pick % 3 || nth === names.length - 1)
        .map((endpoint) => ({ endpoint, kind: 'stuck', version: 2, afterReplicas: at % 2 })),
      latencyMs: 0,
    });
  },
  /** The service wants to be asked later, and others are still to be rolled. */
  'throttled while others wait': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 5);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: pickOf(pick, [25, 50]) },
        ...{ pollSeconds: 5, maxPollSeconds: 15, progressDeadlineSeconds: 600 },
        onFailure: 'roll-back',
      },
      broken: at % 3 === 0 ? [{ endpoint: names.at(-1) ?? '', kind: 'fail', version: 2 }] : [],
      writes: names
        .filter((_, nth) => (nth + pick) % 3 === 0)
        .map((endpoint) => ({
          operation: 'roll',
          endpoint,
          nth: 1 + (lasts % 2),
          kind: pickOf(at, ['UpstreamThrottled', 'UpstreamThrottled', 'UpstreamAuth']),
          seconds: 10 + (lasts % 60),
        })),
    });
  },
} satisfies Situations;
