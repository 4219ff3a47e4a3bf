import { type Difference, toOrdeal } from '../simulation/corpus.ts';
import type { Ordeal } from '../simulation/ordeal.ts';

// Rollouts whose course is kept as a story that people read. Each is named after what happens in it, and is drawn by
// hand: it differs from a rollout of two endpoints in which nothing goes wrong.

interface Story {
  /** What happens, in a sentence. */
  readonly name: string;
  readonly ordeal: Ordeal;
}

function story(name: string, drawn: Difference): Story {
  return { name, ordeal: toOrdeal(drawn) };
}

/** Endpoints on version 1, with these numbers. */
function fleet(...numbers: readonly number[]): Ordeal['endpoints'] {
  return numbers.map((number) => ({ name: `endpoint-0${number}`, version: 1 }));
}

const AT_ONCE = { maxUnavailable: { percent: 100 } };
const BY_WAVES = { waves: [{ endpoints: 1 }, { percent: 100 }] };
const NOTHING_ASKED = { probe: null, alarms: [], metrics: [], approval: null };
const ALARM = { ...NOTHING_ASKED, alarms: ['errors'] };
const APPROVAL = {
  ...NOTHING_ASKED,
  approval: { timeoutSeconds: 300, onTimeout: 'reject' as const },
};
const PROBE = {
  ...NOTHING_ASKED,
  probe: {
    ...{ path: '/healthz', status: 200, tries: 3, timeoutSeconds: 5 },
    ...{ hosts: ['*.localhost'], privateNetwork: false },
  },
};
const EARLIER = {
  ...{ version: 1 as const, askedAfter: -100, endsAfter: 200, isDead: false },
  ...{ rolloutId: 'earlier' as const, isUnknown: false, isElsewhere: false },
  givesWayAfter: null,
};

/** By what they are about. */
export const STORIES: Readonly<Record<string, readonly Story[]>> = {
  'the way there': [
    story('Nothing goes wrong', {}),
    story('Two waves, and the second begins only when the first has converged', {
      endpoints: fleet(1, 2, 3),
      policy: { ...BY_WAVES, bakeSeconds: 30 },
    }),
    story('An endpoint on the version already is left out', {
      endpoints: [...fleet(1), { name: 'endpoint-02', version: 2 }],
    }),
    story('All are on the version already', { endpoints: [{ name: 'endpoint-01', version: 2 }] }),
    story('A roll that the service throttles is made later', {
      writes: [
        {
          operation: 'roll',
          endpoint: 'endpoint-01',
          nth: 1,
          kind: 'UpstreamThrottled',
          seconds: 16,
        },
      ],
    }),
    story('A roll whose answer is lost was carried out, and is not repeated', {
      writes: [{ operation: 'roll', endpoint: 'endpoint-01', nth: 1, kind: 'unheard', seconds: 1 }],
    }),
    story('A roll that never arrived is made once more', {
      writes: [{ operation: 'roll', endpoint: 'endpoint-01', nth: 1, kind: 'lost', seconds: 1 }],
    }),
    story(
      'A roll that the service ignores twice does not start, and its endpoint is kept, because no list shows anything of it',
      {
        writes: [1, 2].map((nth) => ({
          ...{ operation: 'roll' as const, endpoint: 'endpoint-01', nth, kind: 'ignored' },
          seconds: 1,
        })),
        policy: { progressDeadlineSeconds: 600 },
      },
    ),
    story('Rolls that never arrived are not followed by a stop', {
      writes: [1, 2].map((nth) => ({
        ...{ operation: 'roll' as const, endpoint: 'endpoint-01', nth, kind: 'lost' },
        seconds: 1,
      })),
      policy: { progressDeadlineSeconds: 600 },
    }),
    story('A version that the service refuses is refused only once', {
      endpoints: fleet(1, 2, 3),
      broken: [{ endpoint: 'endpoint-01', kind: 'refuse', httpStatus: 400, times: 9 }],
      policy: AT_ONCE,
    }),
    story('The list cannot be read for a while, and the rollout waits', {
      lists: [{ kind: 'UpstreamTimeout', fromSecond: 8, seconds: 40 }],
    }),
    story('The list cannot be read until the deadline, and nothing is stopped', {
      lists: [{ kind: 'UpstreamTimeout', fromSecond: 8, seconds: 900 }],
    }),
    story('An old list shows nothing of the rolls, and none is repeated', {
      lists: [{ kind: 'frozen', fromSecond: 2, seconds: 30 }],
      policy: AT_ONCE,
    }),
    story('Nobody may read the list', {
      lists: [{ kind: 'UpstreamAuth', fromSecond: 0, seconds: 900 }],
    }),
  ],
  'a failure, and what is stopped': [
    story('An endpoint gets stuck and is stopped, and the other one stays as it was', {
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
    }),
    story('An endpoint fails, and hold leaves everything', {
      broken: [{ endpoint: 'endpoint-01', kind: 'fail' }],
      policy: { onFailure: 'hold' },
    }),
    story('An endpoint of the second wave fails, and the first wave is not stopped', {
      endpoints: fleet(1, 2, 3),
      broken: [{ endpoint: 'endpoint-02', kind: 'fail' }],
      policy: { ...BY_WAVES, ...AT_ONCE },
    }),
    story('A stop is kept back because the endpoint went live', {
      broken: [
        { endpoint: 'endpoint-01', kind: 'stuck' },
        { endpoint: 'endpoint-02', kind: 'slow', rollSeconds: 113 },
      ],
      latencyMs: 5000,
      policy: AT_ONCE,
    }),
    story('A stop is kept back because somebody has moved the endpoint', {
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      people: [
        { kind: 'move', endpoint: 'endpoint-01', version: 1, atSecond: 2 },
        { kind: 'abort', onFailure: 'stop-old', atSecond: 3 },
      ],
      latencyMs: 100,
    }),
    story('A stop is kept back because the endpoint recovers', {
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      lists: [{ kind: 'relapse', fromSecond: 8, seconds: 55 }],
      latencyMs: 300,
    }),
    story('A stop is kept back because the endpoint has vanished', {
      broken: [
        { endpoint: 'endpoint-01', kind: 'stuck' },
        { endpoint: 'endpoint-01', kind: 'vanish', afterSeconds: 25 },
      ],
    }),
    story('A stop is kept back because the endpoint is protected', {
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      policy: { protect: ['*-01'] },
    }),
    story('A stop is kept back because too few would serve', {
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      policy: { minServing: 2 },
    }),
    story('A stop without an answer was carried out, and is not repeated', {
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      writes: [{ operation: 'stop', endpoint: 'endpoint-01', nth: 1, kind: 'unheard', seconds: 1 }],
    }),
    story('A stop that gets no answer three times is given up', {
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      writes: [1, 2, 3].map((nth) => ({
        ...{ operation: 'stop' as const, endpoint: 'endpoint-01', nth, kind: 'lost' },
        seconds: 1,
      })),
    }),
    story('A lost endpoint is tolerated within the failure threshold', {
      endpoints: fleet(1, 2, 3),
      broken: [{ endpoint: 'endpoint-02', kind: 'fail' }],
      policy: { failureThreshold: { endpoints: 1 } },
    }),
    story('A service that cannot stop leaves the endpoint as it is', {
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      cannotStop: true,
      policy: { onFailure: 'hold' },
    }),
    story('A service that cannot stop is not asked to roll for a policy that stops', {
      cannotStop: true,
    }),
  ],
  'the way back': [
    story('An endpoint fails, and all that were rolled go back', {
      endpoints: fleet(1, 2, 3),
      broken: [{ endpoint: 'endpoint-02', kind: 'fail' }],
      policy: { ...BY_WAVES, onFailure: 'roll-back' },
    }),
    story('On the way back an endpoint that somebody has moved is left alone', {
      broken: [{ endpoint: 'endpoint-02', kind: 'stuck' }],
      people: [{ kind: 'move', endpoint: 'endpoint-01', version: 5, atSecond: 98 }],
      policy: { ...AT_ONCE, onFailure: 'roll-back' },
    }),
    story('An endpoint does not come back', {
      broken: [
        { endpoint: 'endpoint-02', kind: 'fail' },
        { endpoint: 'endpoint-01', version: 1, kind: 'stuck' },
      ],
      policy: { ...AT_ONCE, onFailure: 'roll-back' },
    }),
    story('A rollback is finished before a newer rollout begins', {
      endpoints: fleet(1, 2, 3, 4),
      broken: [{ endpoint: 'endpoint-04', kind: 'fail' }],
      people: [{ kind: 'rival', atSecond: 41 }],
      policy: { onFailure: 'roll-back', onConflict: 'latest' },
    }),
    story('Somebody undoes a rollout that has succeeded', {
      undo: { afterSeconds: 60, meanwhile: [], oldReads: 0 },
    }),
    story('An undoing leaves alone what somebody has moved meanwhile', {
      undo: {
        ...{ afterSeconds: 60, oldReads: 0 },
        meanwhile: [{ endpoint: 'endpoint-01', version: 5 }],
      },
    }),
  ],
  'what people say': [
    story('An abort ends the rollout, and everything stays as it is', {
      endpoints: fleet(1, 2, 3),
      rollSeconds: 60,
      people: [{ kind: 'abort', onFailure: null, atSecond: 7 }],
    }),
    story('An abort asks for stops', {
      rollSeconds: 60,
      people: [{ kind: 'abort', onFailure: 'stop-old', atSecond: 7 }],
    }),
    story('An abort asks for the way back', {
      rollSeconds: 60,
      people: [{ kind: 'abort', onFailure: 'roll-back', atSecond: 7 }],
      policy: AT_ONCE,
    }),
    story('A second abort calls the stops of the first one off', {
      broken: ['endpoint-01', 'endpoint-02'].map((endpoint) => ({ endpoint, kind: 'stuck' })),
      word: { said: 'hold', at: 'stop', nth: 1 },
      latencyMs: 1000,
      policy: AT_ONCE,
    }),
    story('An abort comes while the rollout is about to store its success', {
      word: { said: null, at: 'close', nth: 1 },
    }),
    story('Somebody takes back a rollout that waits', {
      opensAfter: 900,
      people: [{ kind: 'abort', onFailure: null, atSecond: 60 }],
    }),
    story('Each wave is approved', {
      people: [
        { kind: 'approve', wave: 0, atSecond: 200 },
        { kind: 'approve', wave: 1, atSecond: 400 },
      ],
      policy: { ...BY_WAVES, verify: APPROVAL },
    }),
    story('A wave is rejected, and what it has rolled goes back', {
      people: [{ kind: 'reject', wave: 0, onFailure: 'roll-back', atSecond: 200 }],
      policy: { ...BY_WAVES, verify: APPROVAL },
    }),
    story('Nobody approves in time', { policy: { ...BY_WAVES, verify: APPROVAL } }),
  ],
  gates: [
    story('An alarm fails the wave after its bake', {
      alarms: [{ verdict: 'fail', fromSecond: 1, seconds: 900 }],
      policy: { ...BY_WAVES, bakeSeconds: 30, verify: ALARM },
    }),
    story('An alarm is red before anything is rolled, and nothing is', {
      alarms: [{ verdict: 'fail', fromSecond: 0, seconds: 900 }],
      policy: { ...BY_WAVES, verify: ALARM },
    }),
    story('An alarm is silent for a while, and is asked again', {
      alarms: [{ verdict: 'unknown', fromSecond: 0, seconds: 40 }],
      policy: { ...BY_WAVES, verify: ALARM },
    }),
    story('An alarm is silent until the deadline', {
      alarms: [{ verdict: 'unknown', fromSecond: 0, seconds: 900 }],
      policy: { ...BY_WAVES, verify: ALARM },
    }),
    story('A probe says no, and the wave goes back', {
      readings: [
        { gate: 'probe', says: 'bad', endpoint: 'endpoint-01', fromSecond: 0, seconds: 900 },
      ],
      policy: { ...BY_WAVES, onFailure: 'roll-back', verify: PROBE },
    }),
    story('An endpoint is no longer live after the bake', {
      broken: [{ endpoint: 'endpoint-01', kind: 'regress', afterSeconds: 20 }],
      policy: { bakeSeconds: 120 },
    }),
  ],
  'other rollouts': [
    story('Another rollout has the runtime, and this one is refused', { earlier: EARLIER }),
    story('An older rollout gives way, and this one begins', {
      earlier: { ...EARLIER, givesWayAfter: 10 },
      policy: { onConflict: 'latest' },
    }),
    story('A newer release comes, and this rollout gives way', {
      rollSeconds: 60,
      people: [{ kind: 'rival', atSecond: 20 }],
      policy: { onConflict: 'latest' },
    }),
    story('A newer release comes while stops are due, and they are kept back', {
      broken: [{ endpoint: 'endpoint-02', kind: 'stuck' }],
      people: [{ kind: 'rival', atSecond: 72 }],
      latencyMs: 2000,
      policy: { ...AT_ONCE, progressDeadlineSeconds: 45, onConflict: 'latest' },
    }),
    story('A release that was asked for earlier is refused', {
      rollSeconds: 60,
      people: [{ kind: 'stale', atSecond: 20 }],
      policy: { onConflict: 'latest' },
    }),
    story('Somebody else moves an endpoint, and the rollout leaves everything to them', {
      rollSeconds: 60,
      people: [{ kind: 'move', endpoint: 'endpoint-01', version: 5, atSecond: 20 }],
    }),
  ],
  'before it begins': [
    story('A freeze ends, and the rollout begins', { opensAfter: 900 }),
    story('A downgrade is refused', {
      endpoints: [{ name: 'endpoint-01', version: 3 }],
      policy: { allowDowngrade: false },
    }),
    story('The plan is another one than somebody has agreed to', {
      asked: { kind: 'plan', since: { kind: 'version', shownWith: {} } },
    }),
    story('The version is that of an endpoint that nobody knows', {
      asked: { kind: 'source', endpoint: 'nobody', state: 'settled' },
    }),
    story('A version that is still being made is waited for', {
      asked: { kind: 'listed', version: 'latest', state: 'making', seconds: 90, isNewest: true },
    }),
    story('Nobody could ask the probe', {
      endpoints: fleet(1),
      guises: [{ endpoint: 'endpoint-01', shown: { url: null }, during: 'until rolled' }],
      policy: { verify: PROBE },
    }),
  ],
  processes: [
    story('A process is killed and resumed, and no roll is sent twice', {
      death: { error: 'Killed', when: 'after', since: 'wave-started', point: 4 },
      resumesAfter: 30,
      policy: BY_WAVES,
    }),
    story('A process is killed while it stops endpoints, and goes on with the stops', {
      broken: ['endpoint-01', 'endpoint-02'].map((endpoint) => ({ endpoint, kind: 'stuck' })),
      death: { error: 'Killed', when: 'after', since: 'failing', point: 6 },
      resumesAfter: 30,
      policy: AT_ONCE,
    }),
    story('A process is killed, and nobody goes on with it until another rollout does', {
      death: { error: 'Killed', when: 'after', since: 'wave-started', point: 4 },
      resumesAfter: null,
    }),
    story('A process stands still and loses its lease, and writes nothing any more', {
      stall: { at: 'any', point: 30, when: 'before', seconds: 900, isRaced: true },
      policy: { bakeSeconds: 12_000 },
    }),
    story('The ledger fails once, and the rollout goes as it does without that', {
      death: { error: 'LedgerUnavailable', when: 'after', since: 'wave-started', point: 3 },
    }),
    story('An execution hands over to the next one in the middle of the rollout', {
      endpoints: fleet(1, 2, 3),
      executionEvents: 60,
      policy: BY_WAVES,
    }),
    story('The event bus is down for a while, and every event gets there', {
      busDown: { fromSecond: 0, seconds: 15 },
    }),
  ],
};
