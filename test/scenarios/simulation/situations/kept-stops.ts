import { DEFAULT_POLICY } from '../../../../lib/domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../../../lib/domain/rollout/policy.ts';
import type { Act, Ordeal } from '../ordeal.ts';
import { fleetOf, namesOf, pickOf, quiet, type Situations } from './situation.ts';

/** What may keep a stop back. */
export const KEPT_STOPS = {
  /** The service has statuses that the policy does not know, or the policy has words for nearly all of them. */
  'statuses of their own': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, pickOf(pick, [1, 3, 4, 5]));
    const [first = ''] = names;
    const last = names.at(-1) ?? '';
    return quiet(drawn, {
      endpoints: names.map((name, nth) => ({ name, version: nth < lasts % 3 ? 2 : 1 })),
      rollSeconds: 5,
      policy: {
        ...STOPS_OLD,
        statuses: pickOf(lasts, WORDS),
        waves: pickOf(at, [[{ percent: 100 }], [{ endpoints: 1 }, { percent: 100 }]]),
        minServing: pickOf(at, [1, 1, 2, { percent: 50 }, { endpoints: names.length - 1 }]),
      },
      broken: [
        { endpoint: last, kind: 'stuck', version: 2 },
        { endpoint: first, kind: 'fail', version: 5, afterReplicas: 0 },
      ],
      people: pickOf<readonly Act[]>(pick, [
        [{ kind: 'stop', endpoint: first, atSecond: 'before' }],
        [{ kind: 'stop', endpoint: first, atSecond: 'before' }],
        [{ kind: 'move', endpoint: first, version: 5, atSecond: 'before' }],
        [{ kind: 'create', atSecond: 10 + at }],
        [],
      ]),
      lists: pickOf<Ordeal['lists']>(at, [
        [],
        [{ kind: 'odd', fromSecond: 0, seconds: 900 }],
        [{ kind: 'dark', fromSecond: 0, seconds: 3 }],
        [{ kind: 'blind', fromSecond: 0, seconds: 3 }],
        [{ kind: 'odd', fromSecond: 60, seconds: 900 }],
        [{ kind: 'dark', fromSecond: 60, seconds: 900 }],
      ]),
    });
  },
  /** So many are live as have to serve, or one more or less. */
  'just enough serve': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 4);
    return quiet(drawn, {
      endpoints: names.map((name, nth) => ({ name, version: nth < pick % 3 ? 2 : 1 })),
      rollSeconds: 5,
      policy: {
        ...STOPS_OLD,
        waves: pickOf(at, [[{ percent: 100 }], [{ endpoints: 1 }, { percent: 100 }]]),
        minServing: pickOf<RolloutPolicy['minServing']>(lasts, [
          { percent: 50 },
          { percent: 75 },
          { endpoints: names.length - 1 },
          Math.ceil(names.length / 2),
        ]),
      },
      broken: names
        .slice(-1 - (at % Math.ceil(names.length / 2)))
        .map((endpoint) => ({ endpoint, kind: 'stuck', version: 2 })),
      people: pick % 4 === 0 ? [{ kind: 'create', atSecond: 10 + at }] : [],
      lists: pick % 4 === 1 ? [{ kind: 'short', fromSecond: 60 + at, seconds: 600 }] : [],
    });
  },
  /** The service takes its time, and rolls are not to be seen when somebody asks for stops. */
  'stopped before it shows its roll': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        ...STOPS_OLD,
        minServing: pickOf(lasts, [0, 1, names.length - 1, { percent: 50 }]),
      },
      writes: names.flatMap((endpoint, nth) => [
        {
          operation: 'roll',
          endpoint,
          nth: 1,
          kind: pickOf(pick + nth, ['queued', 'queued', 'ignored', 'lost']),
          seconds: 300,
        },
        ...[1, 2, 3].slice(0, 1 + (lasts % 3)).map((time) => ({
          operation: 'stop' as const,
          endpoint,
          nth: time,
          kind: pickOf(pick, ['queued', 'late', 'mute']),
          seconds: 300,
        })),
      ]),
      people: [{ kind: 'abort', onFailure: 'stop-old', atSecond: 10 + (at % 40) }],
      latencyMs: pickOf(at, [0, 300]),
    });
  },
  /** Somebody moves an endpoint just when it is to be stopped, or before anybody has seen its roll. */
  'taken away as it is stopped': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    const stopsAt = 25 + (lasts % 40);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: { ...STOPS_OLD, minServing: 0 },
      broken: names.map((endpoint) => ({ endpoint, kind: 'stuck', version: 2 })),
      people: [
        {
          kind: 'move',
          endpoint: pickOf(at, [names[0] ?? '', names.at(-1) ?? '']),
          version: pickOf(pick, [1, 1, 5]),
          atSecond: pickOf<number | 'rolled'>(lasts, [
            'rolled',
            stopsAt + (at % 8),
            stopsAt + (at % 8),
          ]),
        },
        { kind: 'abort', onFailure: 'stop-old', atSecond: stopsAt },
      ],
      latencyMs: pickOf(pick, [2000, 300]),
    });
  },
  /** The list says something else when it stops than when it failed. */
  'another list as it stops': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    const turnsAt = 92 + (at % 40);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: { ...STOPS_OLD, minServing: 0 },
      broken: names.map((endpoint) => ({ endpoint, kind: 'stuck', version: 2 })),
      lists: pickOf<Ordeal['lists']>(lasts, [
        [{ kind: 'blind', fromSecond: 20 + at, seconds: 600 }],
        [{ kind: 'relapse', fromSecond: turnsAt, seconds: 60 }],
        [
          { kind: 'hidden', fromSecond: 30 + (at % 40), seconds: turnsAt - 30 - (at % 40) },
          { kind: 'relapse', fromSecond: turnsAt, seconds: 60 },
        ],
        [{ kind: pickOf(at, ['hidden', 'short', 'frozen']), fromSecond: turnsAt, seconds: 60 }],
      ]),
      latencyMs: pickOf(pick, [2000, 300]),
    });
  },
  /** A newer release comes just as it stops, or as it goes back. */
  'a newer release comes as it fails': (drawn, { at, pick }) => {
    const names = namesOf(drawn, 6);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 20,
      policy: {
        ...STOPS_OLD,
        maxUnavailable: { percent: pickOf(pick, [100, 50]) },
        onFailure: pickOf(pick, ['stop-old', 'stop-old', 'roll-back']),
        onConflict: 'latest',
        minServing: 0,
      },
      broken: names.map((endpoint) => ({ endpoint, kind: 'stuck', version: 2 })),
      people: [{ kind: pickOf(at, ['rival', 'twin']), atSecond: 92 + (at % 60) }],
      latencyMs: 2000,
    });
  },
} satisfies Situations;

const STOPS_OLD: Partial<Ordeal['policy']> = {
  waves: [{ percent: 100 }],
  maxUnavailable: { percent: 100 },
  onFailure: 'stop-old',
  ...{ pollSeconds: 5, maxPollSeconds: 15, bakeSeconds: 0, progressDeadlineSeconds: 90 },
};

const KNOWN = DEFAULT_POLICY.statuses;

const WORDS: readonly [RolloutPolicy['statuses'], ...RolloutPolicy['statuses'][]] = [
  { ...KNOWN, serving: ['RUNNING'] },
  { ...KNOWN, serving: ['RUNNING'] },
  { ...KNOWN, serving: ['RUNNING'] },
  { ...KNOWN, serving: ['*'] },
  { ...KNOWN, serving: ['*'], failed: [...KNOWN.failed, 'PAUSED'] },
  { ...KNOWN, serving: ['*'], stopped: [...KNOWN.stopped, 'PAUSED'] },
  { ...KNOWN, serving: ['ACTIVE'], failed: [...KNOWN.failed, 'PAUSED'] },
];
