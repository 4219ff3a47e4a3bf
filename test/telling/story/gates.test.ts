import { describe, expect, test } from '@jest/globals';
import { type RolloutEvent, waveEventIdOf } from '../../../lib/domain/rollout/event.ts';
import type { Approval } from '../../../lib/domain/rollout/policy.ts';
import type { AskedRollout, Signal } from '../../../lib/domain/rollout/record.ts';
import { checks as gate } from '../../../lib/gates/checks.ts';
import type { GateAnswer } from '../../../lib/gates/gate.ts';
import { listGates } from '../../../lib/telling/story/gates.ts';
import { planOf, recordOf, signal } from '../../domain/examples.ts';
import { recordAt, recordOfEnd } from '../../support/record-at.ts';
import type { Script } from '../../support/run-scenario.ts';
import { START, scenarioNow } from '../../support/scenario-time.ts';

/** Three waves, each of which bakes for 5 minutes, with an alarm that answers so up to a second, and otherwise from then on. */
const withAlarm = (first: GateAnswer, later = first, fromSecond = 600): Script => ({
  policy: {
    onFailure: 'roll-back',
    verify: { probe: null, alarms: ['errors'], metrics: [], approval: null },
  },
  gates: { alarm: async () => (scenarioNow() < START + fromSecond * 1000 ? first : later) },
});
const OK = { verdict: 'pass', detail: 'OK' } as const;
const ALARM = { verdict: 'fail', detail: 'ALARM' } as const;
const SILENT = { verdict: 'unknown', detail: 'no data' } as const;

const linesOf = (record: AskedRollout) =>
  listGates(record).map(({ wave, kind, name, verdict, detail, at }) => {
    return `${(at - START) / 1000} s, wave ${wave}: ${kind} ${name}: ${verdict}, ${detail}`;
  });

describe('the gates of a rollout', () => {
  test('tell what each wave has waited for before it began, also once others were asked', async () => {
    const checks = gate.schema.parse([
      { name: 'quiet', url: 'https://checks.example.com', when: 'before-wave' },
    ]);
    const script = withAlarm(OK);
    const verify = { probe: null, alarms: ['errors'], metrics: [], approval: null, checks };
    const record = await recordOfEnd({
      ...script,
      policy: { ...script.policy, verify },
      gates: { ...script.gates, check: async () => ({ verdict: 'pass', detail: 'SUCCEEDED' }) },
    });
    expect(linesOf(record)).toEqual([
      '0 s, wave 1: check quiet: pass, SUCCEEDED (before wave 1)',
      '325 s, wave 1: alarm errors: pass, OK',
      '325 s, wave 1: check quiet: pass, SUCCEEDED (before wave 2)',
      '650 s, wave 2: alarm errors: pass, OK',
      '650 s, wave 2: check quiet: pass, SUCCEEDED (before wave 3)',
      '1025 s, wave 3: alarm errors: pass, OK',
    ]);
  });

  test('have said yes to each wave that was verified, the last one among them', async () => {
    const record = await recordOfEnd(withAlarm(OK));
    expect(linesOf(record)).toEqual([
      '325 s, wave 1: alarm errors: pass, OK',
      '650 s, wave 2: alarm errors: pass, OK',
      '1025 s, wave 3: alarm errors: pass, OK',
    ]);
  });

  test('have said no to the wave that was refused, also when it has gone back since', async () => {
    const record = await recordOfEnd(withAlarm(OK, ALARM, 600));
    expect(record.outcome).toMatchObject({ reason: 'GateFailed', cleanup: 'rolledBack' });
    expect(linesOf(record)).toEqual([
      '325 s, wave 1: alarm errors: pass, OK',
      '655 s, wave 2: alarm errors: fail, ALARM',
    ]);
  });

  test('have given no answer at the last look, while the wave waits for them', async () => {
    const { record } = await recordAt(340, withAlarm(SILENT));
    expect(linesOf(record)).toEqual(['335 s, wave 1: alarm errors: unknown, no data']);
  });

  test('have said no to the first wave, also while it still rolled', async () => {
    const { policy, ...script } = withAlarm(OK, ALARM, 30);
    const record = await recordOfEnd({
      ...script,
      policy: { ...policy, waves: [{ percent: 100 }] },
      broken: [{ endpoint: 'endpoint-02', version: 2, kind: 'slow', rollSeconds: 300 }],
    });
    expect(record.outcome).toMatchObject({ reason: 'GateFailed' });
    expect(linesOf(record)).toEqual([expect.stringContaining('wave 1: alarm errors: fail, ALARM')]);
  });

  test('are none before they were asked, and of a rollout without a plan', async () => {
    expect(linesOf((await recordAt(20, withAlarm(OK))).record)).toEqual([]);
    expect(linesOf(recordOf())).toEqual([]);
  });
});

describe('an approval', () => {
  const approval: Approval = { timeoutSeconds: 900, onTimeout: 'approve' };
  const { request, ...rest } = recordOf([], {
    verify: { probe: null, alarms: [], metrics: [], approval },
  });
  const eventOf = (kind: 'approval-wanted' | 'wave-started', wave: number, at: number) => {
    const eventId = waveEventIdOf('rollout-1', kind, 'forward', wave);
    const base = { eventId, rolloutId: 'rollout-1', runtimeId: 'shop', desiredVersion: 3 };
    return {
      ...base,
      message: '',
      kind,
      at,
      direction: 'forward',
      wave,
      waves: 2,
      endpoints: 1,
    } as const;
  };
  const wanted = eventOf('approval-wanted', 1, START + 10_000);
  const failing = {
    ...wanted,
    ...{ kind: 'failing' as const, onFailure: 'hold' as const, at: START + 99_000 },
    reason: 'ApprovalTimedOut',
    cause: { outcome: 'Failed', reason: 'ApprovalTimedOut', message: '' },
  } satisfies RolloutEvent;
  const said = (kind: Signal['kind'], by: string, reason: string) =>
    signal(kind, { by, reason, at: START + 20_000 });

  test.each<[string, Partial<AskedRollout>, string[]]>([
    ['nobody was asked', {}, []],
    [
      'nobody has answered',
      { events: [wanted] },
      ['10 s, wave 1: approval null: unknown, nobody has answered'],
    ],
    [
      'somebody said yes, and why',
      { events: [wanted], signals: [said('approve', 'ann', 'metrics are fine')] },
      ['20 s, wave 1: approval null: pass, ann: metrics are fine'],
    ],
    [
      'a no counts more than a yes',
      { events: [wanted], signals: [said('approve', 'ann', ''), said('reject', '', '')] },
      ['20 s, wave 1: approval null: fail, somebody'],
    ],
    [
      'the time was over, and that is a yes',
      { events: [wanted, eventOf('wave-started', 2, START + 30_000)] },
      ['30 s, wave 1: approval null: pass, nobody has answered within 15 min'],
    ],
    [
      'the time was over, and that is a no',
      { events: [wanted, failing] },
      ['99 s, wave 1: approval null: fail, nobody has answered within 15 min'],
    ],
    [
      'it failed for another reason',
      { events: [wanted, { ...failing, reason: 'LiveRegressed' }] },
      ['10 s, wave 1: approval null: unknown, nobody has answered'],
    ],
  ])('%s', (_, known, lines) => {
    expect(linesOf({ ...rest, request, plan: planOf([1, 1]), ...known })).toEqual(lines);
  });
});
