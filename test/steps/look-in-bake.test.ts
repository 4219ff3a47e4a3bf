import { describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { Approval } from '../../lib/domain/rollout/policy.ts';
import type { WaveProgress } from '../../lib/domain/rollout/record.ts';
import { look } from '../../lib/steps/look.ts';
import { endpoint, line, live, moving, planOf, progressOf, seen } from '../domain/examples.ts';
import { NOW, onStage, type Stage } from './stage.ts';

const { ids: _ids, ...plan } = planOf([1, 2], { maxUnavailable: 2 });
const READ_AT = NOW - 60_000;
const CLOCK = { at: READ_AT, watched: 500_000 };
const there = { state: 'converged', reads: 2, hadTarget: true } as const;

interface Given {
  /** Milliseconds baked before this look, which comes a minute after the one before. */
  readonly bakedMs: number;
  readonly approval?: Approval;
  readonly alarms?: readonly string[];
}

/** A first wave of one endpoint, which bakes for 300 s. */
const baking = ({ bakedMs, approval, alarms = [] }: Given, work: (stage: Stage) => Promise<void>) =>
  onStage(
    {
      plan,
      progress: progressOf(0, [there], { bakedMs, readAt: READ_AT, clock: CLOCK }),
      policy: {
        pollSeconds: 7,
        onFailure: 'roll-back',
        verify: { probe: null, alarms, metrics: [], approval: approval ?? null },
      },
    },
    async (stage) => {
      await stage.ports.ledger.append(stage.lease, [line('roll', 'web-1', 'accepted')]);
      await work(stage);
    },
  );

const OTHERS = [endpoint('web-2'), endpoint('web-3')];
const lookAt = async (stage: Stage, one: Endpoint = live('web-1'), ports = stage.ports) => {
  stage.list = [one, ...OTHERS];
  return look(await positionOf(stage), ports);
};

/** After a wait of a minute since the last look. */
async function positionOf(stage: Stage) {
  const { looks = 0 } = (await stage.read()).progress ?? {};
  return stage.position({ next: 'look-bake', waitSeconds: 60, looks });
}

const ERRORS = { kind: 'alarm', name: 'errors' } as const;

describe('look', () => {
  test('a wave bakes as long as it has to, and not a second less', async () => {
    await baking({ bakedMs: 239_000 }, async (stage) => {
      expect(await lookAt(stage)).toMatchObject({ next: 'look-bake', waitSeconds: 1 });
      expect((await stage.read()).progress).toMatchObject({ wave: 0, bakedMs: 299_000 });
    });
  });

  test('once it has baked the next wave begins, and the ledger knows', async () => {
    await baking({ bakedMs: 240_000 }, async (stage) => {
      expect(await lookAt(stage)).toMatchObject({
        next: 'roll',
        wave: 1,
        batches: [stage.batch({ from: 1, to: 3 })],
      });
      expect((await stage.read()).progress).toMatchObject({
        wave: 1,
        stuckMs: 0,
        bakedMs: null,
        observations: [{ state: 'converged', reads: 3 }],
      });
    });
  });

  test('X10: a clock that jumped does not bake it: the wait counts', async () => {
    await baking({ bakedMs: 0 }, async (stage) => {
      stage.now = NOW + 3_600_000;

      expect(await lookAt(stage)).toMatchObject({ next: 'look-bake', waitSeconds: 60 });
      expect((await stage.read()).progress).toMatchObject({ bakedMs: 60_000 });
    });
  });

  test('X10: for how long it was watched is not forgotten when the gates have passed', async () => {
    const approval = { timeoutSeconds: 900, onTimeout: 'reject' } as const;
    await baking({ bakedMs: 240_000, approval }, async (stage) => {
      const { progress } = await stage.read();
      await stage.ports.ledger.saveProgress(stage.lease, {
        ...(progress as WaveProgress),
        ...{ bakedMs: 300_000, watch: { dueAt: 0, cursor: 0, noes: [], unsaidMs: 0 } },
      });

      expect(await lookAt(stage)).toMatchObject({ next: 'look-approval' });
      const { progress: passed } = await stage.read();
      expect(passed).toMatchObject({ clock: { watched: 560_000 }, heard: 'well' });
      stage.now = NOW + 60_000;
      await lookAt(stage);
      expect((await stage.read()).progress).toMatchObject({ clock: { watched: 620_000 } });
    });
  });

  test('X10: a clock that is behind for one look changes nothing of when it converged', async () => {
    await baking({ bakedMs: 0 }, async (stage) => {
      const { progress } = await stage.read();
      const said = { converged: CLOCK };
      await stage.ports.ledger.saveProgress(stage.lease, {
        ...(progress as WaveProgress),
        ...said,
      });
      stage.now = NOW - 3_600_000;
      await lookAt(stage);

      expect((await stage.read()).progress).toMatchObject({
        ...said,
        clock: { watched: 560_000 },
      });
    });
  });

  test.each([0, 45_000, -3_600_000])(
    'A05: a look that runs twice, the second time %i ms later, has not waited twice',
    async (laterMs) => {
      await baking({ bakedMs: 0 }, async (stage) => {
        const position = await positionOf(stage);
        stage.list = [live('web-1'), ...OTHERS];
        await look(position, stage.ports);
        stage.now += laterMs;
        await look(position, stage.ports);

        const watched = CLOCK.watched + 60_000;
        expect((await stage.read()).progress).toMatchObject({
          ...{ bakedMs: 60_000, looks: 2, clock: { watched } },
        });
      });
    },
  );

  test('H07: one read against it may be old, the second one counts', async () => {
    await baking({ bakedMs: 0 }, async (stage) => {
      expect(await lookAt(stage, moving('web-1'))).toMatchObject({
        next: 'look-doubt',
        waitSeconds: 7,
      });
      expect(await lookAt(stage, moving('web-1'))).toMatchObject({
        next: 'contain',
        onFailure: 'roll-back',
        oldEndpoints: 1,
        ending: { outcome: 'Failed', reason: 'LiveRegressed' },
      });
    });
  });

  test.each([
    ['fail', { next: 'look-gate', waitSeconds: 7 }],
    ['unknown', { next: 'look-gate', waitSeconds: 7 }],
    ['pass', { next: 'roll', wave: 1 }],
  ] as const)('a gate that says %s', async (verdict, next) => {
    await baking({ bakedMs: 240_000, alarms: ['errors'] }, async (stage) => {
      const gates = { ...stage.ports.gates, alarm: async () => ({ verdict, detail: '' }) };

      expect(await lookAt(stage, live('web-1'), { ...stage.ports, gates })).toMatchObject(next);
    });
  });

  test('which gates have been red since the start is kept until they say yes', async () => {
    await baking({ bakedMs: 240_000, alarms: ['errors', 'latency'] }, async (stage) => {
      const { ledger, gates } = stage.ports;
      const { progress } = await stage.read();
      const redAtStart = ['alarm errors', 'alarm latency'];
      await ledger.saveProgress(stage.lease, { ...(progress as WaveProgress), redAtStart });
      const alarm = async (name: string) => ({
        verdict: name === 'errors' ? ('pass' as const) : ('unknown' as const),
        detail: '',
      });

      await lookAt(stage, live('web-1'), { ...stage.ports, gates: { ...gates, alarm } });

      expect((await stage.read()).progress?.redAtStart).toEqual(['alarm latency']);
    });
  });

  test('the yes of a gate is waited for since it was asked first, whatever the list shows meanwhile', async () => {
    await baking({ bakedMs: 240_000, alarms: ['errors'] }, async (stage) => {
      const doubtAfter = async (verdict: 'unknown' | 'pass', one: Endpoint) => {
        const gates = { ...stage.ports.gates, alarm: async () => ({ verdict, detail: '' }) };
        await lookAt(stage, one, { ...stage.ports, gates });
        return (await stage.read()).progress;
      };
      const failing = live('web-1', { status: 'ERROR' });

      const unsaid = (unsaidMs: number) => ({ watch: { unsaidMs } });
      expect(await doubtAfter('unknown', live('web-1'))).toMatchObject({ ...unsaid(0), looks: 1 });
      stage.now = NOW + 3_600_000;
      expect(await doubtAfter('unknown', live('web-1'))).toMatchObject({
        ...{ heard: 'well', ...unsaid(60_000) },
      });
      stage.now += 61_000;
      expect(await doubtAfter('pass', failing)).toMatchObject({
        ...{ heard: 'work', ...unsaid(120_000), looks: 3 },
      });
      stage.now += 59_000;
      expect(await doubtAfter('pass', live('web-1'))).toMatchObject({
        ...{ wave: 0, heard: 'proof', ...unsaid(179_000) },
      });
      const said = await doubtAfter('pass', live('web-1'));
      expect(said).toMatchObject({ wave: 1 });
      expect(said?.watch).not.toHaveProperty('unsaidMs');
    });
  });

  test('what the gates answered is remembered until they are asked again, and told with the wave that follows', async () => {
    await baking({ bakedMs: 240_000, alarms: ['errors'] }, async (stage) => {
      const progressAfter = async (verdict: 'unknown' | 'pass', one: Endpoint) => {
        const gates = { ...stage.ports.gates, alarm: async () => ({ verdict, detail: 'no data' }) };
        await lookAt(stage, one, { ...stage.ports, gates });
        return (await stage.read()).progress;
      };
      const gates = (verdict: 'unknown' | 'pass') => {
        return { wave: 1, at: stage.now, answers: [{ ...ERRORS, verdict, detail: 'no data' }] };
      };
      const silent = { wave: 0, gates: gates('unknown') };
      expect(await progressAfter('unknown', live('web-1'))).toMatchObject(silent);
      stage.now += 60_000;
      const heard = { wave: 0, gates: gates('pass') };
      expect(await progressAfter('pass', moving('web-1'))).toMatchObject(heard);
      stage.now += 20_000;
      expect(await progressAfter('pass', live('web-1'))).toMatchObject(heard);
      stage.now += 60_000;
      expect(await progressAfter('pass', live('web-1'))).not.toHaveProperty('gates');
      expect((await stage.read()).events).toMatchObject([
        { kind: 'wave-converged', wave: 1 },
        { kind: 'wave-started', wave: 2, gates: gates('pass') },
      ]);
    });
  });

  test('what the gates answered is told with the failure when somebody aborts the wave that waits for them', async () => {
    await baking({ bakedMs: 240_000, alarms: ['errors'] }, async (stage) => {
      const alarm = async () => ({ verdict: 'unknown', detail: 'no data' }) as const;
      const ports = { ...stage.ports, gates: { ...stage.ports.gates, alarm } };
      await lookAt(stage, live('web-1'), ports);
      const answers = [{ ...ERRORS, verdict: 'unknown', detail: 'no data' }];
      const gates = { wave: 1, at: NOW, answers };
      const abort = { kind: 'abort', at: NOW, wave: null, by: 'ann', reason: '' } as const;
      await stage.ports.ledger.signal('rollout-1', abort);
      stage.now += 60_000;

      expect(await lookAt(stage, live('web-1'), ports)).toMatchObject({ next: 'contain' });
      const { progress, events } = await stage.read();
      expect(progress).toMatchObject({ gates });
      expect(events).toContainEqual(expect.objectContaining({ kind: 'failing', gates }));
    });
  });

  test('waiting for an approval is no doubt', async () => {
    const approval = { timeoutSeconds: 900, onTimeout: 'reject' } as const;
    await baking({ bakedMs: 240_000, approval }, async (stage) => {
      expect(await lookAt(stage)).toMatchObject({ next: 'look-approval' });
      expect((await stage.read()).progress).toMatchObject({ wave: 0, heard: 'well' });
    });
  });

  test('a no in the bake is asked for again soon, and counts when it is said again, not when a step runs twice', async () => {
    await baking({ bakedMs: 0, alarms: ['errors'] }, async (stage) => {
      const alarm = async () => ({ verdict: 'fail', detail: 'ALARM' }) as const;
      const ports = { ...stage.ports, gates: { ...stage.ports.gates, alarm } };
      const position = await positionOf(stage);
      stage.list = [live('web-1'), ...OTHERS];

      expect(await look(position, ports)).toMatchObject({ next: 'look-bake', waitSeconds: 7 });
      expect(await look(position, ports)).toMatchObject({ next: 'look-bake', waitSeconds: 7 });
      const { progress } = await stage.read();
      expect(progress?.watch?.noes).toEqual([
        { ...ERRORS, detail: 'ALARM', since: CLOCK.watched + 60_000 },
      ]);
      stage.now += 7_000;
      const again = stage.position({
        next: 'look-approval',
        waitSeconds: 7,
        looks: progress?.looks ?? 0,
      });
      const failed = { next: 'contain', ending: { reason: 'GateFailed' }, onFailure: 'roll-back' };
      expect(await look(again, ports)).toMatchObject(failed);
      // What counts once counts, whatever the gate says by now.
      expect(await look(again, stage.ports)).toMatchObject(failed);
    });
  });

  test.each([
    ['approve', { next: 'roll', wave: 1 }],
    ['reject', { next: 'contain', ending: { outcome: 'Failed', reason: 'Rejected' } }],
    ['abort', { next: 'contain', onFailure: 'hold', ending: { outcome: 'Aborted' } }],
  ] as const)('a person says: %s', async (kind, next) => {
    const approval = { timeoutSeconds: 900, onTimeout: 'reject' } as const;
    await baking({ bakedMs: 240_000, approval }, async (stage) => {
      expect(await lookAt(stage)).toMatchObject({ next: 'look-approval', waitSeconds: 5 });
      const said = { kind, at: NOW, wave: kind === 'abort' ? null : 0, by: 'ann', reason: '' };
      await stage.ports.ledger.signal('rollout-1', said);
      expect(await lookAt(stage)).toMatchObject(next);
    });
  });

  test('H24: a list that cannot be read is no time in the bake', async () => {
    await baking({ bakedMs: 0 }, async (stage) => {
      stage.list = new SteprollError(ErrorName.UpstreamTransient, '503');

      const position = await positionOf(stage);
      expect(await look(position, stage.ports)).toMatchObject({ next: 'look-list' });
      expect((await stage.read()).progress).toMatchObject({ bakedMs: 0, readAt: READ_AT });
    });
  });

  test('the last wave that has baked is the success', async () => {
    await onStage(
      {
        plan,
        progress: progressOf(1, [there, there, { ...seen('converged'), hadTarget: true }], {
          bakedMs: 300_000,
        }),
      },
      async (stage) => {
        stage.list = [live('web-1'), live('web-2'), live('web-3')];

        expect(await look(stage.position({ wave: 1 }), stage.ports)).toMatchObject({
          next: 'close',
          ending: { outcome: 'Succeeded', reason: 'Converged' },
        });
      },
    );
  });
});
