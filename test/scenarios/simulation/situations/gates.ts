import { RULES, SHARES } from '../metric-rules.ts';
import type { Ordeal } from '../ordeal.ts';
import { PROBE } from '../probe-rule.ts';
import { fleetOf, NO_GATES, namesOf, pickOf, quiet, type Situations } from './situation.ts';

/** What gates and people say of a wave. */
export const GATES = {
  /** A gate is silent while somebody is asked. */
  'silent while somebody is asked': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 3)),
      rollSeconds: 5,
      policy: {
        ...APPROVED,
        progressDeadlineSeconds: 600,
        verify: {
          ...NO_GATES,
          alarms: ['errors'],
          approval: { timeoutSeconds: pick % 2 === 0 ? 120 : 300, onTimeout: onTimeout(pick) },
        },
      },
      alarms: [{ verdict: 'unknown', fromSecond: 15 + at, seconds: 30 + (lasts % 270) }],
    }),
  /** The look dies that is to ask somebody. */
  'died before somebody was asked': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 3)),
      rollSeconds: 5,
      policy: {
        ...APPROVED,
        bakeSeconds: pickOf(lasts, [30, 60]),
        verify: { ...NO_GATES, approval: { timeoutSeconds: 30, onTimeout: onTimeout(pick) } },
      },
      // The event is marked as sent, and then the third call of every look is the one that keeps it. Then it asks.
      death: {
        error: pickOf(lasts, ['Runtime.ExitError', 'LedgerUnavailable', 'Killed']),
        ...pickOf(at, [
          { when: 'after', point: 4 },
          { when: 'after', point: 4 },
          { when: 'before', point: 1 + (pick % 12) },
        ]),
        since: 'wave-converged',
      },
      resumesAfter: lasts % 120,
      latencyMs: 0,
    }),
  /** Its process dies while no list can be read, or while a gate is silent, and is resumed. */
  'died while nothing answers': (drawn, { at, lasts, pick }) => {
    const isGate = pick % 2 === 0;
    return quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 2)),
      rollSeconds: 5,
      policy: {
        ...APPROVED,
        ...{ pollSeconds: 5, maxPollSeconds: 15, bakeSeconds: pickOf(pick, [0, 30]) },
        progressDeadlineSeconds: pickOf(lasts, [90, 180]),
        verify: { ...NO_GATES, alarms: isGate ? ['errors'] : [] },
      },
      lists: isGate ? [] : [{ kind: 'UpstreamTimeout', fromSecond: 4 + (at % 9), seconds: 9000 }],
      alarms: isGate ? [{ verdict: 'unknown', fromSecond: 0, seconds: 9000 }] : [],
      death: {
        error: 'Killed',
        when: pickOf(lasts, ['after', 'before']),
        point: 6 + (at % 60),
        since: isGate ? 'wave-converged' : 'wave-started',
      },
      resumesAfter: lasts % 120,
      latencyMs: 0,
    });
  },
  /** Its process dies in a long bake, and is resumed. */
  'died in its bake': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 2)),
      rollSeconds: 5,
      policy: { ...APPROVED, bakeSeconds: pickOf(pick, [300, 600, 1200]) },
      death: {
        error: 'Killed',
        when: pickOf(lasts, ['after', 'before']),
        point: 4 + (at % 40),
        since: 'wave-converged',
      },
      resumesAfter: lasts % 120,
      latencyMs: 0,
    }),
  /** Somebody approves it just before the time for that is over, or just after it. */
  'approved at the last moment': (drawn, { at, lasts, pick }) => {
    const timeoutSeconds = pickOf(lasts, [30, 300, 900]);
    return quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 2)),
      rollSeconds: 5,
      policy: {
        ...APPROVED,
        bakeSeconds: 0,
        verify: { ...NO_GATES, approval: { timeoutSeconds, onTimeout: onTimeout(pick) } },
      },
      people: [{ kind: 'approve', wave: 0, atSecond: timeoutSeconds + (at % 25) }],
      latencyMs: 0,
    });
  },
  /** A loss is tolerated, and its wave has gates that ask about every endpoint. */
  'asked about the rest of a wave': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 4);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ endpoints: 2 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
        failureThreshold: { endpoints: 1 },
        bakeSeconds: 0,
        verify: { ...NO_GATES, probe: PROBE },
      },
      broken: [
        {
          endpoint: names[at % names.length] ?? '',
          kind: pickOf(pick, ['fail', 'vanish', 'refuse']),
          version: 2,
          ...(pick % 3 === 2 && { httpStatus: 400, times: 9 }),
          ...(pick % 3 === 1 && { afterSeconds: 1 + (lasts % 20) }),
        },
      ],
      latencyMs: 0,
    });
  },
  /** A wave converges in a time from the future, and its metrics are asked for from then on. */
  'metrics while the clock is ahead': (drawn, { at, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 2)),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        ...{ pollSeconds: 5, maxPollSeconds: 15, progressDeadlineSeconds: 600 },
        verify: { ...NO_GATES, metrics: [pickOf(pick, RULES)] },
      },
      clock: { fromSecond: 1, seconds: 10 + (at % 90), offsetMs: 3_600_000 },
    }),
  /** A metric is just at its limit, or beyond it, from the start. */
  'metrics at their limit': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 2);
    const rule = pickOf(at, RULES);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        progressDeadlineSeconds: 600,
        verify: { ...NO_GATES, metrics: [rule, pickOf(lasts, SHARES)] },
      },
      readings: [
        {
          gate: 'metric',
          says: pickOf(pick, ['bad', 'silent']),
          endpoint: names[0] ?? '',
          fromSecond: 60 * (at % 4),
          seconds: 60 + (lasts % 600),
        },
      ],
    });
  },
  /** Somebody says something to a wave that has converged: a yes, a no, or both, and not always to the right wave. */
  'answered while somebody is asked': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    const wave = pickOf(at, [0, 1, 1, 2]);
    const reject = {
      kind: 'reject',
      ...(lasts % 4 !== 0 && { onFailure: pickOf(lasts, ['hold', 'stop-old', 'roll-back']) }),
    } as const;
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        ...APPROVED,
        waves: [{ endpoints: 1 }, { endpoints: 2 }, { percent: 100 }],
        bakeSeconds: 0,
        ...{ minServing: 0, progressDeadlineSeconds: 180 },
        verify: {
          ...NO_GATES,
          approval: { timeoutSeconds: pickOf(lasts, [30, 300]), onTimeout: onTimeout(lasts) },
        },
      },
      people: [
        { kind: 'approve', wave: 0, atSecond: 20 + (at % 20) },
        { ...(pick % 3 === 0 ? { kind: 'approve' } : reject), wave, atSecond: 20 + (pick % 60) },
        ...(pick % 4 === 0 ? [{ ...reject, wave: 2 - wave, atSecond: 1 + at }] : []),
      ],
      // What was live is no longer when it is rejected.
      lists: at % 5 === 0 ? [{ kind: 'short', fromSecond: 20 + (pick % 60), seconds: 60 }] : [],
    });
  },
  /** A gate is silent up to the deadline, and then the list speaks against the wave. */
  'silent, and then the wave is in doubt': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 2);
    const [first = ''] = names;
    const fromSecond = 80 + (at % 40);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        ...{ waves: [{ percent: 100 }], maxUnavailable: { percent: 100 } },
        ...{ pollSeconds: pickOf(at, [5, 5, 15]), bakeSeconds: 0, progressDeadlineSeconds: 90 },
        minServing: 0,
        verify: { ...NO_GATES, alarms: ['errors'] },
      },
      alarms: [{ verdict: 'unknown', fromSecond: 1, seconds: 900 }],
      broken:
        lasts % 3 === 0
          ? [
              {
                endpoint: first,
                kind: pickOf(lasts, ['crash', 'regress', 'vanish']),
                version: 2,
                afterSeconds: fromSecond,
              },
            ]
          : [],
      lists: [
        {
          kind: pickOf(pick, ['short', 'dark', 'blind', 'some', 'short']),
          fromSecond,
          seconds: 1 + (lasts % 40),
        },
        { kind: pickOf(lasts, ['dark', 'short']), fromSecond: fromSecond + 10, seconds: 1 + pick },
      ],
    });
  },
  /** A gate is silent up to the deadline. Then a slow list lacks one endpoint, another one in the next look, and none. */
  'silent, and then a slow list is old': (drawn, { at, lasts, pick }) => {
    const latencySeconds = pickOf(pick, [10, 12, 15, 20]);
    const lookSeconds = 5 + latencySeconds;
    // The wave has converged after ten calls, and its gate is silent from then on.
    const deadline = 15 + 10 * latencySeconds + 90;
    const old = Array.from({ length: 2 + (at % 3) }, (_, nth) => ({
      kind: pickOf(lasts + nth, ['short', 'some']),
      fromSecond: deadline + (nth - 1) * lookSeconds + (lasts % lookSeconds),
      seconds: lookSeconds,
    }));
    return quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 3).slice(0, 3)),
      rollSeconds: 5,
      policy: {
        ...{ waves: [{ percent: 100 }], maxUnavailable: { percent: 100 } },
        ...{ pollSeconds: 5, maxPollSeconds: 15, bakeSeconds: 0, progressDeadlineSeconds: 90 },
        minServing: 0,
        verify: { ...NO_GATES, alarms: ['errors'] },
      },
      alarms: [{ verdict: 'unknown', fromSecond: 1, seconds: pickOf(at, [900, deadline]) }],
      lists: old,
      latencyMs: latencySeconds * 1000,
    });
  },
  /** A metric is bad or silent in some of the minutes that count, and good in the others. */
  'a metric changes': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 1);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        ...{ bakeSeconds: pickOf(lasts, [180, 300]), progressDeadlineSeconds: 180 },
        verify: { ...NO_GATES, metrics: [pickOf(at, RULES)] },
      },
      readings: [
        {
          ...{ gate: 'metric', says: pickOf(pick, ['bad', 'bad', 'silent']) },
          ...{ endpoint: names[0] ?? '', fromSecond: 60 * (pick % 5), seconds: 1 + (lasts % 130) },
        },
      ],
    });
  },
} satisfies Situations;

const APPROVED: Partial<Ordeal['policy']> = {
  waves: [{ endpoints: 1 }, { percent: 100 }],
  maxUnavailable: { percent: 100 },
};

function onTimeout(pick: number): 'approve' | 'reject' {
  return pick % 3 === 0 ? 'reject' : 'approve';
}
