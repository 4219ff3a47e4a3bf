import { describe, expect, test } from '@jest/globals';
import { decideAfterGates } from '../../../lib/domain/decision/after-gates.ts';
import { decideAfterLook } from '../../../lib/domain/decision/after-look.ts';
import { type RolloutEvent, waveEventIdOf } from '../../../lib/domain/rollout/event.ts';
import type { GateReading } from '../../../lib/domain/rollout/gates.ts';
import type { Approval, RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import type { Signal } from '../../../lib/domain/rollout/record.ts';
import { BAKE_SECONDS, line, planOf, progressOf, recordOf, seen, signal } from '../examples.ts';

const plan = planOf([1, 2], { maxUnavailable: 2 });
const converged = seen('converged', 2);
const POLICY = { progressDeadlineSeconds: 600, pollSeconds: 7 };

const gate = (verdict: GateReading['verdict'], name = 'web-1'): GateReading => ({
  kind: 'probe',
  name,
  verdict,
  detail: verdict === 'unknown' ? 'no answer in 5 s' : '503',
});

interface Given {
  readonly wave?: number;
  readonly readings?: readonly GateReading[];
  readonly signals?: readonly Signal[];
  readonly policy?: Partial<RolloutPolicy>;
  /** Seconds since the wave had baked. */
  readonly later?: number;
  /** Seconds for which there has been doubt. @default - none */
  readonly doubt?: number;
  /** The noes of the gates were said before, too. @default - this is the first time */
  readonly isConfirmed?: true;
}

/** What follows a wave that has baked and is still converged. */
function decide(given: Given) {
  const { wave = 0, readings = [], signals = [], policy = {}, later = 0, doubt } = given;
  const { isConfirmed } = given;
  const { to } = plan.waves[wave] ?? { to: 0 };
  const journal = plan.ids.slice(0, to).map((id) => line('roll', id, 'accepted'));
  const record = { ...recordOf(journal, { ...POLICY, ...policy }), signals };
  const observations = Array.from({ length: to }, () => converged);
  const times = { bakedMs: BAKE_SECONDS * 1000, askedMs: later * 1000 };
  const noes = readings.flatMap(({ verdict, ...said }) =>
    verdict === 'fail' ? [{ ...said, since: 0, ...(isConfirmed && { isConfirmed }) }] : [],
  );
  const watch = {
    dueAt: 0,
    cursor: 0,
    noes,
    ...(doubt !== undefined && { unsaidMs: doubt * 1000 }),
  };
  const progress = progressOf(wave, observations, { ...times, watch });
  return decideAfterGates(record, plan, progress, readings, []);
}

const nextWave = {
  next: 'roll',
  wave: 1,
  indexes: [1, 2],
  wait: expect.objectContaining({ seconds: POLICY.pollSeconds }),
};
const success = {
  next: 'close',
  ending: expect.objectContaining({ outcome: 'Succeeded', reason: 'Converged' }),
};

describe('the gates', () => {
  test.each<[string, GateReading[]]>([
    ['there are none', []],
    ['all say yes', [gate('pass'), { ...gate('pass', 'errors'), kind: 'alarm' }]],
  ])('let the next wave start when %s, and the last one end the rollout', (_, readings) => {
    expect(decide({ readings })).toMatchObject(nextWave);
    expect(decide({ wave: 1, readings })).toMatchObject(success);
  });

  test.each<[string, GateReading[]]>([
    ['one says no', [gate('pass'), gate('fail', 'web-2')]],
    ['one says no and another one nothing', [gate('unknown'), gate('fail', 'web-2')]],
  ])('contain the wave when %s, once more', (_, readings) => {
    expect(decide({ wave: 1, readings })).toMatchObject({
      next: 'wait',
      step: 'look',
      seconds: 7,
    });
    expect(decide({ wave: 1, readings, isConfirmed: true })).toMatchObject({
      next: 'contain',
      onFailure: 'roll-back',
      ending: {
        outcome: 'Failed',
        failure: 'bad',
        reason: 'GateFailed',
        message: 'Wave 2 of 2: a gate says no: probe web-2: 503.',
      },
      oldEndpoints: [],
    });
  });

  test('silence is no yes: it is asked again, until the deadline', () => {
    const readings = [gate('pass'), gate('unknown', 'web-2')];
    expect(decide({ readings })).toMatchObject({ next: 'wait', step: 'look', seconds: 7 });
    expect(decide({ readings, doubt: 598 })).toMatchObject({
      next: 'wait',
      step: 'look',
      seconds: 2,
    });
    expect(decide({ readings, doubt: 600 })).toMatchObject({
      next: 'close',
      ending: {
        outcome: 'Errored',
        reason: 'GateUnknown',
        message:
          'Wave 1 of 2: no answer from its gates: probe web-2: no answer in 5 s. Nobody knows whether the version works, so nothing is stopped or taken back.',
      },
    });
  });

  test('the deadline runs while there is doubt, not since the bake: an approval may take long', () => {
    const readings = [gate('unknown')];
    expect(decide({ readings, later: 9999, doubt: 0 })).toMatchObject({
      next: 'wait',
      step: 'look',
      seconds: 7,
    });
  });

  test('invariant 14: a gate that says no is heard however late it is', () => {
    const late = { readings: [gate('fail')], doubt: 606 };
    expect(decide(late)).toMatchObject({
      next: 'wait',
      step: 'look',
      seconds: 7,
    });
    expect(decide({ ...late, isConfirmed: true })).toMatchObject({ next: 'contain' });
  });

  test('noes that take turns, and that no second look confirms, come to an end as silence does', () => {
    const turns = { readings: [gate('fail')], doubt: 607 };
    expect(decide(turns)).toMatchObject({ next: 'close', ending: { reason: 'GateUnknown' } });
  });

  test('the policy says what happens to a wave that is not verified', () => {
    const policy = { onFailure: 'roll-back' } as const;
    expect(decide({ readings: [gate('fail')], policy, isConfirmed: true })).toMatchObject({
      onFailure: 'roll-back',
    });
  });
});

describe('the approval', () => {
  const withApproval = (said: Partial<Approval> = {}): Partial<RolloutPolicy> => ({
    verify: {
      probe: null,
      alarms: [],
      metrics: [],
      approval: { timeoutSeconds: 3600, onTimeout: 'reject', ...said },
    },
  });
  const policy = withApproval();

  test.each<[later: number, seconds: number]>([
    [0, 5],
    [49, 5],
    [100, 10],
    [2000, 60],
    [3001, 60],
    [3599, 1],
  ])('is waited for: %i s later, another look in %i s', (later, seconds) => {
    expect(decide({ policy, later })).toMatchObject({
      next: 'wait',
      step: 'look',
      seconds,
      for: 'approval',
    });
  });

  test('a long one is still looked for every five minutes', () => {
    const long = withApproval({ timeoutSeconds: 604_800 });
    expect(decide({ policy: long, later: 100_000 })).toMatchObject({
      next: 'wait',
      step: 'look',
      seconds: 300,
      for: 'approval',
    });
  });

  test('lets the next wave start', () => {
    expect(decide({ policy, signals: [signal('approve')] })).toMatchObject(nextWave);
  });

  test('is not needed for the last wave: there is nothing to go on to', () => {
    expect(decide({ policy, wave: 1 })).toMatchObject(success);
  });

  test('is not asked for before the gates have said yes', () => {
    const signals = [signal('approve')];
    expect(decide({ policy, signals, readings: [gate('fail')], isConfirmed: true })).toMatchObject({
      ending: { reason: 'GateFailed' },
    });
    expect(decide({ policy, signals, readings: [gate('unknown')] })).toMatchObject({
      next: 'wait',
      step: 'look',
    });
  });

  test.each<[string, Signal]>([
    ['of another wave', signal('approve', { wave: 1 })],
    ['that is an abort', signal('abort', { wave: 0 })],
  ])('an answer %s is none', (_, other) => {
    expect(decide({ policy, signals: [other] })).toMatchObject({
      next: 'wait',
      step: 'look',
      seconds: 5,
      for: 'approval',
    });
  });

  test('a rejection contains the wave, and may say how', () => {
    expect(decide({ policy, signals: [signal('reject')] })).toMatchObject({
      next: 'contain',
      onFailure: 'roll-back',
      ending: {
        outcome: 'Failed',
        failure: 'bad',
        reason: 'Rejected',
        message: 'Wave 1 of 2 was rejected by ann: not today.',
      },
      oldEndpoints: [],
    });
    const said = signal('reject', { onFailure: 'roll-back', reason: '' });
    expect(decide({ policy, signals: [said] })).toMatchObject({
      onFailure: 'roll-back',
      ending: { message: 'Wave 1 of 2 was rejected by ann.' },
    });
  });

  test('a rejection wins over an approval, whichever came first', () => {
    const rejected = { next: 'contain', ending: { reason: 'Rejected' } };
    const both = [signal('approve'), signal('reject')];
    expect(decide({ policy, signals: both })).toMatchObject(rejected);
    expect(decide({ policy, signals: both.toReversed() })).toMatchObject(rejected);
  });

  test('a rejection of another wave takes no approval back', () => {
    const signals = [signal('reject', { wave: 1 }), signal('approve')];
    expect(decide({ policy, signals })).toMatchObject(nextWave);
  });

  test('nobody answers: then it counts as the policy says', () => {
    expect(decide({ policy, later: 3600 })).toMatchObject({
      next: 'contain',
      onFailure: 'roll-back',
      ending: {
        outcome: 'Failed',
        failure: 'bad',
        reason: 'ApprovalTimedOut',
        message: 'Wave 1 of 2: nobody approved it within 1 h.',
      },
      oldEndpoints: [],
    });
    const lenient = withApproval({ onTimeout: 'approve' });
    expect(decide({ policy: lenient, later: 3599 })).toMatchObject({
      next: 'wait',
      step: 'look',
    });
    expect(decide({ policy: lenient, later: 3600 })).toMatchObject(nextWave);
  });

  test('X09: an answer that is there wins over the time that has run out', () => {
    expect(decide({ policy, later: 3600, signals: [signal('approve')] })).toMatchObject(nextWave);
  });
});

describe('a rejection of a wave that shows something else meanwhile', () => {
  const lost = [seen('progressing', 9)];
  const progress = progressOf(0, lost, { bakedMs: BAKE_SECONDS * 1000 });
  const record = recordOf([line('roll', 'web-1', 'accepted')], POLICY);
  const { rolloutId } = record.request;
  const askedAbout = (wave: number): RolloutEvent[] => {
    const eventId = waveEventIdOf(rolloutId, 'approval-wanted', 'forward', wave);
    const of = { rolloutId, runtimeId: 'shop', desiredVersion: 3, waves: 2, endpoints: 1 };
    const message = 'It has baked.';
    return [
      { kind: 'approval-wanted', direction: 'forward', eventId, at: 0, wave, message, ...of },
    ];
  };
  const decisions = [
    ['in its bake', (said: typeof record) => decideAfterLook(said, plan, progress)],
    [
      'in its check',
      (said: typeof record) => decideAfterLook(said, plan, { ...progress, bakedMs: null }),
    ],
  ] as const;

  test.each(decisions)('is heard %s, and says how', (_, decideNext) => {
    const signals = [signal('reject', { onFailure: 'hold' })];
    expect(decideNext({ ...record, signals, events: askedAbout(1) })).toMatchObject({
      next: 'contain',
      onFailure: 'hold',
      ending: { reason: 'Rejected' },
    });
  });

  test.each(decisions)(
    '%s, nobody was asked, or about another wave: it is not heard',
    (_, next) => {
      const plain = next(record);
      const rejected = { ...record, signals: [signal('reject')] };
      const ofNext = { ...record, signals: [signal('reject', { wave: 1 })], events: askedAbout(1) };
      expect(next(rejected)).toEqual(plain);
      expect(next({ ...rejected, events: askedAbout(2) })).toEqual(plain);
      expect(next(ofNext)).toEqual(plain);
    },
  );
});
