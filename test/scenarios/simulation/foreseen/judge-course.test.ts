import { expect, test } from '@jest/globals';
import type { Call } from '../../../../lib/rehearsal/calls.ts';
import type { WriteFault } from '../../../../lib/rehearsal/faults.ts';
import { runScenario, type ScenarioResult } from '../../../support/run-scenario.ts';
import { TURNED_LATER } from '../acquitted.ts';
import { RULES } from '../metric-rules.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { NO_GATES } from '../situations/situation.ts';
import { type Beside, onItsService, toScript } from '../to-script.ts';
import { tryOrdeal } from '../try-ordeal.ts';
import { goesAsForeseen } from './judge-course.ts';

const STUCK: Ordeal = {
  ...QUIET,
  policy: { ...QUIET.policy, waves: [{ endpoints: 1 }, { percent: 100 }], bakeSeconds: 120 },
  broken: [{ endpoint: 'endpoint-02', version: 2, kind: 'stuck' }],
};

const ran = observe(STUCK);

async function observe(ordeal: Ordeal): Promise<ScenarioResult & Pick<Beside, 'haltedAt'>> {
  let haltedAt: number | null = null;
  const script = toScript(ordeal, undefined, (seen) => {
    haltedAt = seen.haltedAt ?? haltedAt;
  });
  const run = await onItsService(ordeal, () => runScenario(script));
  return { ...run, haltedAt };
}

async function withCalls(change: (calls: readonly Call[]) => readonly Call[]): Promise<string[]> {
  const run = await ran;
  return goesAsForeseen(STUCK, { ...run, calls: [...change(run.calls)] });
}

/** The last roll, after which a read follows. */
function lastRoll(calls: readonly Call[]): number {
  return calls.findLastIndex(({ operation }) => operation === 'roll');
}

test('a rollout that goes as it was foreseen is followed to its end', async () => {
  const { outcome } = await ran;

  expect(outcome.reason).toBe('Stalled');
  expect(await withCalls((calls) => calls)).toEqual([]);
});

test('a read that comes late is noticed', async () => {
  const wrong = await withCalls((calls) =>
    calls.map((call, index) => (index > lastRoll(calls) ? { ...call, at: call.at + 1000 } : call)),
  );

  expect(wrong).toEqual(['a read was due after 5 s, and list came 1 s later']);
});

test('a read or a roll that is missing is noticed', async () => {
  expect(await withCalls((calls) => calls.toSpliced(lastRoll(calls) + 1, 1))).toHaveLength(1);
  expect(await withCalls((calls) => calls.toSpliced(lastRoll(calls), 1))).toHaveLength(1);
});

test('a first roll that is missing is noticed', async () => {
  const wrong = await withCalls((calls) => calls.filter(({ operation }) => operation !== 'roll'));

  expect(wrong).toHaveLength(1);
});

test('nothing is foreseen from when its process stands still, and all before that is', async () => {
  const run = await ran;
  const last = lastRoll(run.calls);
  const calls = run.calls.filter((_, index) => index !== last);
  const rolledAt = run.calls[last]?.at ?? 0;

  expect(goesAsForeseen(STUCK, { ...run, calls, haltedAt: rolledAt - 1 })).toEqual([]);
  expect(goesAsForeseen(STUCK, { ...run, calls, haltedAt: rolledAt + 1 })).toHaveLength(1);
});

test('another reason than the one that the reads show is noticed', async () => {
  const run = await ran;
  const outcome = { ...run.outcome, reason: 'EndpointFailed' };
  const events = run.record?.events.filter(({ kind }) => kind !== 'failing');
  const other = { ...run, outcome, record: { ...run.record, events } } as typeof run;

  expect(goesAsForeseen(STUCK, other)).toEqual([
    'it had to end with Stalled, and ended with EndpointFailed',
  ]);
});

const WITH_ALARM: Ordeal['policy'] = {
  ...QUIET.policy,
  verify: { ...QUIET.policy.verify, alarms: ['errors'] },
};

const PATIENT: Ordeal['policy'] = {
  ...QUIET.policy,
  onFailure: 'hold',
  progressDeadlineSeconds: 600,
};

function rolled(kind: WriteFault['kind'], seconds: number): WriteFault {
  return { operation: 'roll', endpoint: 'endpoint-02', nth: 1, kind, seconds };
}

const FOLLOWED: readonly (readonly [what: string, drawn: Partial<Ordeal>, reason: string])[] = [
  [
    'a way back',
    {
      policy: { ...QUIET.policy, onFailure: 'roll-back' },
      broken: [{ endpoint: 'endpoint-02', version: 2, kind: 'fail' }],
    },
    'EndpointFailed',
  ],
  [
    'a wave that regresses while it bakes',
    {
      policy: { ...QUIET.policy, bakeSeconds: 120, onFailure: 'hold' },
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'crash', afterSeconds: 40 }],
    },
    'LiveRegressed',
  ],
  [
    'an alarm that is silent for a while',
    { policy: WITH_ALARM, alarms: [{ verdict: 'unknown', fromSecond: 10, seconds: 30 }] },
    'Converged',
  ],
  [
    'a metric that has no data for a while',
    {
      policy: {
        ...QUIET.policy,
        progressDeadlineSeconds: 600,
        verify: { ...QUIET.policy.verify, metrics: [RULES[0]] },
      },
      readings: [
        { gate: 'metric', says: 'silent', endpoint: 'endpoint-01', fromSecond: 0, seconds: 200 },
      ],
    },
    'Converged',
  ],
  ['a roll that is refused at first', { writes: [rolled('UpstreamConflict', 1)] }, 'Converged'],
  ['a roll that got lost', { writes: [rolled('lost', 1)] }, 'Converged'],
  [
    'a roll that got lost and has a token',
    { writes: [rolled('lost', 1)], cannotStop: true, policy: PATIENT },
    'Converged',
  ],
  [
    'a roll that the service wants to be asked for later',
    { writes: [rolled('UpstreamThrottled', 40)] },
    'Converged',
  ],
  ['a way back that begins while the service wants to be asked later', TURNED_LATER, 'GateFailed'],
  ['a roll that nobody may send yet', { writes: [rolled('UpstreamAuth', 1)] }, 'Converged'],
  [
    'a roll that never starts',
    { writes: [rolled('ignored', 1), { ...rolled('ignored', 1), nth: 2 }], policy: PATIENT },
    'RollNotStarted',
  ],
  [
    'a list that cannot be read for a while',
    { lists: [{ kind: 'UpstreamTransient', fromSecond: 4, seconds: 20 }] },
    'Converged',
  ],
  [
    'a list that nobody may read any more',
    { lists: [{ kind: 'UpstreamAuth', fromSecond: 4, seconds: 900 }] },
    'UpstreamAuth',
  ],
  [
    'an endpoint that somebody else takes back',
    {
      policy: { ...QUIET.policy, bakeSeconds: 120, onFailure: 'hold' },
      people: [{ kind: 'move', endpoint: 'endpoint-01', version: 1, atSecond: 40 }],
    },
    'TakenBack',
  ],
  [
    'an endpoint that was on its way before',
    {
      people: [{ kind: 'move', endpoint: 'endpoint-01', version: 2, atSecond: 'before' }],
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'slow', rollSeconds: 20 }],
    },
    'Converged',
  ],
  [
    'an endpoint that hangs where it has to go',
    {
      policy: { ...QUIET.policy, onFailure: 'hold' },
      people: [{ kind: 'move', endpoint: 'endpoint-01', version: 2, atSecond: 'before' }],
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'fail' }],
    },
    'Stalled',
  ],
  [
    'an endpoint that somebody else moves on',
    { people: [{ kind: 'move', endpoint: 'endpoint-01', version: 5, atSecond: 7 }] },
    'Superseded',
  ],
  [
    'an endpoint that somebody else stops',
    {
      policy: { ...QUIET.policy, onFailure: 'hold' },
      people: [{ kind: 'stop', endpoint: 'endpoint-01', atSecond: 7 }],
    },
    'EndpointFailed',
  ],
  ['a slow service', { latencyMs: 300 }, 'Converged'],
];

test.each(FOLLOWED)('%s is followed to its last read', async (_, drawn, reason) => {
  const ordeal = { ...QUIET, ...drawn };
  const run = await observe(ordeal);
  const last = run.calls.findLastIndex(({ operation }) => operation === 'list');
  const late = run.calls.map((call, index) => {
    return index >= last ? { ...call, at: call.at + 1000 } : call;
  });

  expect(run.outcome.reason).toBe(reason);
  expect(goesAsForeseen(ordeal, run)).toEqual([]);
  expect(goesAsForeseen(ordeal, { ...run, calls: late })).toHaveLength(1);
});

test('an alarm that was not asked is noticed', async () => {
  const ordeal = { ...QUIET, policy: WITH_ALARM };
  const run = await observe(ordeal);

  expect(goesAsForeseen(ordeal, run)).toEqual([]);
  expect(goesAsForeseen(ordeal, { ...run, gates: [] })).toEqual(['the gates had to be asked']);
});

test('a look that comes early is noticed, unless it hears an approval while it waits', async () => {
  const policy: Ordeal['policy'] = {
    ...QUIET.policy,
    waves: [{ endpoints: 1 }, { percent: 100 }],
    verify: { ...NO_GATES, approval: { timeoutSeconds: 300, onTimeout: 'approve' } },
  };
  const asked = (listens: boolean): Ordeal => ({
    ...QUIET,
    policy,
    people: [{ kind: 'approve', wave: 0, atSecond: 36 }],
    held: { holds: [], isOfGroup: false, refuses: false, isAgain: false, listens },
  });
  const run = await tryOrdeal(asked(true));

  expect(goesAsForeseen(asked(true), run)).toEqual([]);
  expect(goesAsForeseen(asked(false), run)).toEqual([
    'a read was due after 5 s, and list came -4 s later',
  ]);
});
