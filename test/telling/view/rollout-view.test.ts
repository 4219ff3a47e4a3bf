import { describe, expect, test } from '@jest/globals';
import { rolloutViewSchema, toRolloutView } from '../../../lib/telling/view/rollout-view.ts';
import { recordOf, signal } from '../../domain/examples.ts';
import { recordAt, recordOfEnd } from '../../support/record-at.ts';

const stuck = { broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }] };

describe('the report of a rollout', () => {
  test('is what its schema says: of one that has just begun, is under way, went back or stopped', async () => {
    const signals = [signal('reject'), signal('abort', { onFailure: 'hold' })];
    const records = [
      recordOf(),
      (await recordAt(340)).record,
      await recordOfEnd({ ...stuck, policy: { onFailure: 'roll-back' } }),
      { ...(await recordOfEnd(stuck)), signals },
    ];
    for (const record of records) {
      const report = toRolloutView(record, 0);
      expect(rolloutViewSchema.parse(report)).toEqual(report);
      // What is printed is JSON: nothing gets lost on the way.
      expect(JSON.parse(JSON.stringify(report))).toEqual(report);
    }
  });

  test('of one that failed has its end, its waves and what became of each endpoint', async () => {
    const record = await recordOfEnd(stuck);
    expect(toRolloutView(record, 0)).toMatchObject({
      rolloutId: 'rollout-1',
      version: 2,
      startedBy: { kind: 'person', name: '', at: '2026-01-01T00:00:00.000Z', reason: null },
      startedAt: '2026-01-01T00:00:00.000Z',
      endedAt: '2026-01-01T00:15:50.000Z',
      seconds: 950,
      phase: 'ended',
      outcome: 'Failed',
      reason: 'Stalled',
      cleanup: 'stopped',
      agreedPlan: null,
      rollback: null,
      waves: [
        { wave: 1, endpoints: 1, bakeSeconds: 300, rolled: 1, stopped: 0 },
        { wave: 2, endpoints: 2, bakeSeconds: 300, rolled: 2, stopped: 1, refused: {}, kept: {} },
        { wave: 3, endpoints: 9, bakeSeconds: 300, rolled: 0 },
      ],
    });
    const { endpoints, log, writes } = toRolloutView(record, 0);
    expect(endpoints.slice(0, 4)).toMatchObject([
      { name: 'endpoint-01', wave: 1, previousVersion: 1, fate: 'live', reason: null },
      { name: 'endpoint-02', wave: 2, fate: 'live' },
      {
        ...{ name: 'endpoint-03', wave: 2, fate: 'stopped' },
        life: [
          { kind: 'requested', at: '2026-01-01T00:05:25.000Z' },
          { kind: 'progressing', at: expect.any(String) },
          { kind: 'stopped', at: '2026-01-01T00:15:50.000Z' },
        ],
      },
      { name: 'endpoint-04', wave: 3, fate: 'not-rolled', life: [] },
    ]);
    expect(log.at(-1)).toMatchObject({
      detailType: 'Rollout Ended',
      detail: { outcome: 'Failed' },
    });
    expect(writes.at(-1)).toMatchObject({ operation: 'stop', result: 'accepted', message: null });
  });

  test('has what the gates of each wave answered, with a person among them', async () => {
    const policy = {
      verify: {
        ...{ probe: null, alarms: ['errors'], metrics: [] },
        approval: { timeoutSeconds: 900, onTimeout: 'approve' as const },
      },
    };
    const alarm = async () => ({ verdict: 'pass' as const, detail: 'OK' });
    const record = await recordOfEnd({ policy, gates: { alarm } });
    const report = rolloutViewSchema.parse(toRolloutView(record, 0));
    const errors = {
      kind: 'alarm',
      name: 'errors',
      isEnforced: true,
      wouldHaveFailed: false,
      answer: 'yes',
      message: 'OK',
    };
    expect(report.waves.map(({ gates }) => gates)).toEqual([
      [
        { ...errors, at: '2026-01-01T00:20:25.000Z' },
        {
          ...{ kind: 'approval', name: null, answer: 'yes', at: '2026-01-01T00:20:25.000Z' },
          isEnforced: true,
          wouldHaveFailed: false,
          message: 'nobody has answered within 15 min',
        },
      ],
      [
        { ...errors, at: expect.any(String) },
        { kind: 'approval', answer: 'yes' },
      ].map((one) => expect.objectContaining(one)),
      [{ ...errors, at: expect.any(String) }],
    ]);
  });

  test('says which gates only watch', async () => {
    const alarms = [{ name: 'errors', enforce: false }];
    const policy = { verify: { probe: null, alarms, metrics: [], approval: null } };
    const alarm = async () => ({ verdict: 'fail' as const, detail: 'ALARM' });
    const record = await recordOfEnd({ policy, gates: { alarm } });
    const { waves } = rolloutViewSchema.parse(toRolloutView(record, 0));
    expect(waves[0]?.gates).toMatchObject([
      { name: 'errors', isEnforced: false, answer: 'no', wouldHaveFailed: true },
    ]);
  });

  test('of a way back says why, and where to', async () => {
    const record = await recordOfEnd({ ...stuck, policy: { onFailure: 'roll-back' } });
    const { rollback, endpoints, log } = toRolloutView(record, 0);
    expect(rollback).toMatchObject({
      cause: { outcome: 'Failed', reason: 'Stalled' },
      endpoints: [{ version: 1 }, { version: 1 }, { version: 1 }],
      leftOut: [],
    });
    expect(endpoints.map(({ fate }) => fate).slice(0, 4)).toEqual([
      'back',
      'back',
      'back',
      'not-rolled',
    ]);
    expect(log.filter(({ kind }) => kind !== 'event')).toEqual([]);
  });

  test('tells its events as the bus did, in 1,000 characters, and keeps the whole sentence of the end', async () => {
    const record = await recordOfEnd(stuck);
    const message = `Aborted: ${'x'.repeat(990)}\nby hand`;
    const outcome = { ...record.outcome, outcome: 'Aborted', message } as const;
    const report = toRolloutView({ ...record, outcome } as typeof record, 0);
    const told = report.log.map((line) => (line.kind === 'event' ? `${line.detail.message}` : ''));
    expect(Math.max(...told.map((text) => text.length))).toBe(1_000);
    expect(told.join('')).not.toContain('\n');
    expect(report.message).toBe(message);
  });
});
