import { endpointNames } from '../../support/endpoint-names.ts';
import type { Ordeal } from './ordeal.ts';
import { QUIET } from './quiet.ts';
import { fleetOf, NO_GATES } from './situations/situation.ts';

/** A judge once objected to each of these rollouts, and was right. */
export const MENDED: readonly (readonly [was: string, drawn: Partial<Ordeal>])[] = [
  [
    'what it took over looked live for a minute before that was proven, and it took this minute for the time of a roll',
    {
      endpoints: fleetOf(endpointNames(1, 4)),
      rollSeconds: 20,
      death: { error: 'Killed', when: 'before', point: 6, since: 'wave-started' },
      resumesAfter: 1,
      policy: {
        ...QUIET.policy,
        waves: [{ endpoints: 1 }, { percent: 50 }, { percent: 100 }],
        maxUnavailable: { percent: 50 },
        maxPollSeconds: 30,
        progressDeadlineSeconds: 180,
      },
    },
  ],
  [
    'in a pause the time for an approval stood still, and it looked each time that was left of it',
    {
      endpoints: fleetOf(endpointNames(1, 6)),
      latencyMs: 300,
      held: {
        holds: [{ kind: 'quarantine', on: 'version', from: 81, seconds: 400, liftedAfter: 300 }],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: true,
      },
      policy: {
        ...QUIET.policy,
        waves: [{ endpoints: 1 }, { endpoints: 2 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
        progressDeadlineSeconds: 180,
        verify: { ...NO_GATES, approval: { timeoutSeconds: 30, onTimeout: 'approve' } },
      },
    },
  ],
  [
    'its clock leapt half a minute forward within a read of a bake, which it took for the time of that read',
    {
      endpoints: fleetOf(endpointNames(1, 5)),
      rollSeconds: 60,
      clock: { fromSecond: 30, seconds: 124, offsetMs: -30000 },
      latencyMs: 2000,
      policy: {
        ...QUIET.policy,
        waves: [{ endpoints: 1 }, { percent: 50 }, { percent: 100 }],
        bakeSeconds: 120,
        pollSeconds: 15,
      },
    },
  ],
  [
    'a freeze came when it had its lease, and lasted until its window was closed, and then it began',
    {
      endpoints: fleetOf(endpointNames(1, 2)),
      resumesAfter: null,
      hours: {
        freezes: [],
        outsideWindow: 'wait',
        windows: [
          { days: ['sat', 'sun'], from: '08:00', to: '09:00', timeZone: 'UTC' },
          { days: ['thu'], from: '00:00', to: '00:15', timeZone: 'UTC' },
        ],
        openings: [
          [0, 900],
          [201_600, 205_200],
          [288_000, 291_600],
          [604_800, 605_700],
        ],
      },
      held: {
        holds: [
          { kind: 'freeze', on: 'everything', from: 'opened', seconds: 1500, liftedAfter: null },
        ],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: false,
      },
    },
  ],
  [
    'a freeze came when it had its lease, and at the end of that it began although a newer one waited for the same',
    {
      endpoints: fleetOf(endpointNames(1, 6)),
      people: [{ kind: 'rival', atSecond: 98 }],
      latencyMs: 2000,
      held: {
        holds: [
          { kind: 'freeze', on: 'everything', from: 'opened', seconds: 1500, liftedAfter: null },
          { kind: 'pause', on: 'everything', from: 'before', seconds: 7, liftedAfter: 3 },
        ],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: false,
      },
      policy: { ...QUIET.policy, maxUnavailable: { percent: 100 }, onConflict: 'latest' },
    },
  ],
  [
    'its batch was tried again after a second, and by so much it sent a roll too early that the service had put off',
    {
      writes: [
        {
          operation: 'roll',
          endpoint: 'endpoint-02',
          nth: 1,
          kind: 'UpstreamThrottled',
          seconds: 49,
        },
      ],
      death: {
        error: 'Lambda.ServiceException',
        when: 'before',
        since: 'wave-converged',
        point: 8,
      },
      policy: {
        ...QUIET.policy,
        waves: [{ endpoints: 1 }, { percent: 100 }],
        progressDeadlineSeconds: 180,
      },
    },
  ],
  [
    'its process died for good on the way back from a bad version, and the next one began to that version',
    {
      alarms: [{ verdict: 'fail', fromSecond: 30, seconds: 200 }],
      death: { error: 'Killed', when: 'before', since: 'failing', point: 7 },
      resumesAfter: null,
      policy: {
        ...QUIET.policy,
        onFailure: 'roll-back',
        bakeSeconds: 120,
        verify: { ...NO_GATES, alarms: ['errors'] },
      },
    },
  ],
  [
    'a gate was red, and it was refused because a list that was empty for a moment had nothing to roll',
    {
      endpoints: [{ name: 'endpoint-01', version: 1 }],
      lists: [{ kind: 'empty', fromSecond: 0, seconds: 2 }],
      alarms: [{ verdict: 'fail', fromSecond: 0, seconds: 30 }],
      resumesAfter: null,
      earlier: {
        version: 1,
        askedAfter: -3600,
        endsAfter: 500,
        isDead: false,
        givesWayAfter: 2,
        rolloutId: 'earlier',
        isUnknown: false,
        isElsewhere: false,
      },
      promotions: [{ wave: 0, afterSeconds: 0, isFull: false }],
      watcher: { verdict: 'fail', fromSecond: 0, seconds: 1 },
      policy: {
        ...QUIET.policy,
        waves: [{ percent: 100, bakeSeconds: 120 }],
        bakeSeconds: 120,
        progressDeadlineSeconds: 180,
        onConflict: 'latest',
        verify: {
          probe: null,
          alarms: ['errors', { name: 'watched', enforce: false }],
          metrics: [],
          approval: null,
          warmUpSeconds: 0,
        },
      },
    },
  ],
];
