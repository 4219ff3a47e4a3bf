import { describe, expect, test } from '@jest/globals';
import { REST_ABILITIES } from '../../lib/contract/service/services.ts';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import type { JournalEntry } from '../../lib/domain/endpoint/journal.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { Lease } from '../../lib/domain/rollout/lease.ts';
import type { FailurePolicy, RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import type { Signal } from '../../lib/domain/rollout/record.ts';
import type { WritePorts } from '../../lib/steps/io/ports.ts';
import { stopBatch } from '../../lib/steps/stop-batch.ts';
import {
  endpoint,
  line,
  live,
  moving,
  plannedBack,
  planOf,
  progressOf,
  seen,
  signal,
} from '../domain/examples.ts';
import { enlistNewer, NOW, onStage, type Stage } from './stage.ts';

const { ids: _ids, ...plan } = planOf([3]);
const progress = progressOf(0, [seen('converged', 2), seen('progressing', 9), seen('failed', 2)]);
const ROLLED = ['web-1', 'web-2', 'web-3'].map((id) => line('roll', id, 'accepted'));
const FLEET = [live('web-1'), moving('web-2'), moving('web-3', { status: 'ERROR' })];

const failed = (work: (stage: Stage) => Promise<void>, policy: Partial<RolloutPolicy> = {}) =>
  onStage({ plan, progress, policy: { minServing: 1, ...policy } }, async (stage) => {
    await stage.ports.ledger.append(stage.lease, ROLLED);
    stage.list = FLEET;
    await work(stage);
  });

const ALL = { from: 0, to: 3 };
const stop = (stage: Stage, said: Partial<typeof ALL> = {}, signal?: AbortSignal) =>
  stopBatch(stage.batch({ ...ALL, ...said }), { ...stage.ports, ...(signal && { signal }) });

const journalOf = async (stage: Stage) =>
  (await stage.read()).journal
    .slice(ROLLED.length)
    .map(({ endpointId, result, reason }) => [endpointId, result, reason ?? ''].join(' ').trim());

/** The process stands still for a minute once it has meant the first stop, and its endpoint goes live meanwhile. */
function standingStillOnce(stage: Stage): WritePorts {
  const { ledger } = stage.ports;
  const append: typeof ledger.append = async (lease, entries) => {
    await ledger.append(lease, entries);
    if (entries[0]?.result !== 'intended' || stage.now > NOW) return;
    stage.now += 60_000;
    stage.list = [live('web-1'), live('web-2'), moving('web-3', { status: 'ERROR' })];
  };
  return { ...stage.ports, ledger: { ...ledger, append } };
}

describe('stopBatch', () => {
  test('stops the old endpoints, one after the other, and nothing else', async () => {
    await failed(async (stage) => {
      expect(await stop(stage)).toEqual({ accepted: 2 });
      expect(stage.writes).toEqual(['stop web-2', 'stop web-3']);
      expect(await journalOf(stage)).toEqual([
        'web-2 intended',
        'web-2 accepted',
        'web-3 intended',
        'web-3 accepted',
      ]);
      // At its start. No stop is sent on a proof that is older than 10 s.
      expect(stage.renewals).toHaveLength(1);
    });
  });

  test('of a service that cannot stop: every old endpoint is kept, and nothing is sent or read', async () => {
    await failed(async (stage) => {
      stage.list = new Error('Nobody reads it.');
      const service = { ...stage.ports.service, abilities: { ...REST_ABILITIES, stops: false } };
      const ports = { ...stage.ports, service };
      expect(await stopBatch(stage.batch(ALL), ports)).toEqual({ kept: 2 });
      expect(stage.writes).toEqual([]);
      expect(await journalOf(stage)).toEqual(['web-2 kept cannot-stop', 'web-3 kept cannot-stop']);
      // It is not asked once more.
      expect(await stopBatch(stage.batch(ALL), ports)).toEqual({});
    });
  });

  test('X08: one that stood still before a stop looks again: what went live meanwhile is kept', async () => {
    await failed(async (stage) => {
      await stopBatch(stage.batch(ALL), standingStillOnce(stage));

      expect(stage.writes).toEqual(['stop web-3']);
      expect(await journalOf(stage)).toEqual([
        'web-2 intended',
        'web-2 kept went-live',
        'web-3 intended',
        'web-3 accepted',
      ]);
    });
  });

  test('X08: one that stood still before a stop, and keeps it, counts as serving for the next one', async () => {
    await failed(
      async (stage) => {
        stage.list = [...FLEET, live('web-4')];
        await stopBatch(stage.batch(ALL), standingStillOnce(stage));

        expect(stage.writes).toEqual(['stop web-3']);
      },
      { minServing: 2 },
    );
  });

  test('X03: one that stood still before a stop, and was taken over, stops nothing', async () => {
    await failed(async (stage) => {
      const { ledger } = stage.ports;
      const append: typeof ledger.append = async (lease, entries) => {
        await ledger.append(lease, entries);
        if (stage.now > NOW) return;
        stage.now += 3_600_000;
        const next = { ...(await stage.read()).request, rolloutId: 'another' };
        await ledger.open(next, stage.now, stage.now + 60_000);
      };
      const ports = { ...stage.ports, ledger: { ...ledger, append } };

      await expect(stopBatch(stage.batch(ALL), ports)).rejects.toMatchObject({ name: 'LeaseLost' });
      expect(stage.writes).toEqual([]);
    });
  });

  test('stops those of its own part only', async () => {
    await failed(async (stage) => {
      await stop(stage, { from: 2 });
      expect(stage.writes).toEqual(['stop web-3']);
    });
  });

  test.each<[string, Endpoint | undefined, Partial<RolloutPolicy>, string]>([
    ['X08: went live meanwhile', live('web-2'), {}, 'went-live'],
    ['H02: is gone', undefined, {}, 'vanished'],
    ['X06: was moved by somebody else', endpoint('web-2', { targetVersion: 9 }), {}, 'moved'],
    [
      'H23: nobody knows what it serves',
      moving('web-2', { liveVersion: null }),
      {},
      'live-unknown',
    ],
    ['is protected', moving('web-2'), { protect: ['web-2'] }, 'protected'],
    ['would leave too few serving', moving('web-2'), { minServing: 3 }, 'min-serving'],
  ])('keeps the stop of one back that %s', async (_what, one, policy, reason) => {
    await failed(async (stage) => {
      stage.list = [
        live('web-1'),
        ...(one ? [one] : []),
        moving('web-3', { status: 'ERROR' }),
        endpoint('web-4'),
      ];

      expect(await stop(stage, { to: 2 })).toEqual({ kept: 1 });
      expect(stage.writes).toEqual([]);
      expect(await journalOf(stage)).toEqual([`web-2 kept ${reason}`]);
    }, policy);
  });

  test('H24: without a list nothing is stopped', async () => {
    await failed(async (stage) => {
      stage.list = new SteprollError(ErrorName.UpstreamTransient, '503');

      expect(await stop(stage)).toEqual({ kept: 2 });
      expect(stage.writes).toEqual([]);
    });
  });

  test.each<[string, JournalEntry[], string[]]>([
    ['stopped', [line('stop', 'web-2', 'accepted')], ['stop web-3']],
    ['kept back', [line('stop', 'web-2', 'kept', 'protected')], ['stop web-3']],
    ['in doubt', [line('stop', 'web-2', 'intended')], ['stop web-2', 'stop web-3']],
    [
      'in doubt for the third time',
      Array.from({ length: 3 }, () => line('stop', 'web-2', 'intended')),
      ['stop web-3'],
    ],
  ])('X04: run again, what it had %s', async (_what, journal, writes) => {
    await failed(async (stage) => {
      await stage.ports.ledger.append(stage.lease, journal);
      await stop(stage);

      expect(stage.writes).toEqual(writes);
    });
  });

  test('a stop that was sent counts as carried out for those after it', async () => {
    await failed(
      async (stage) => {
        const { service } = stage.ports;
        stage.list = [...FLEET, live('web-4')];
        const stopThenShowItLive: typeof service.stop = async (...asked) => {
          await service.stop(...asked);
          // It went live just before its stop, which an old list does not show.
          stage.list = [live('web-1'), live('web-2'), moving('web-3', { status: 'ERROR' })];
        };
        await stopBatch(stage.batch(ALL), {
          ...stage.ports,
          service: { ...service, stop: stopThenShowItLive },
        });

        expect(stage.writes).toEqual(['stop web-2']);
        expect((await journalOf(stage)).at(-1)).toBe('web-3 kept min-serving');
      },
      { minServing: 2 },
    );
  });

  test.each([
    ['an answer', new SteprollError(ErrorName.OutcomeUnknown, '502')],
    ['an answer that anybody understands', new TypeError('no such field')],
  ])('H12: without %s it is sent three times in all', async (_, error) => {
    await failed(async (stage) => {
      let sent = 0;
      const service = {
        ...stage.ports.service,
        async stop() {
          sent += 1;
          throw error;
        },
      };
      const summary = await stopBatch(stage.batch({ from: 1, to: 2 }), { ...stage.ports, service });

      expect(summary).toEqual({ unknown: 1 });
      expect(sent).toBe(3);
    });
  });

  test.each<[string, Partial<Signal> & Pick<Signal, 'kind'>, string]>([
    ['an abort', { kind: 'abort' }, 'aborted'],
    ['an abort that rolls back', { kind: 'abort', onFailure: 'roll-back' }, 'aborted'],
    ['a newer rollout', { kind: 'give-way' }, 'gave-way'],
  ])('%s calls off the stops that have not begun', async (_, { kind, ...said }, reason) => {
    await failed(async (stage) => {
      await enlistNewer(signal(kind).by, stage.ports.ledger);
      const service = {
        ...stage.ports.service,
        async stop(runtimeId: string, id: string) {
          await stage.ports.ledger.signal('rollout-1', signal(kind, said));
          await stage.ports.service.stop(runtimeId, id);
        },
      };

      const summary = await stopBatch(stage.batch(ALL), { ...stage.ports, service });
      expect(summary).toEqual({ accepted: 1, kept: 1 });
      expect(stage.writes).toEqual(['stop web-2']);
      expect((await journalOf(stage)).at(-1)).toBe(`web-3 kept ${reason}`);
    });
  });

  test('an abort that is accepted when the intention is written down calls that stop off', async () => {
    await failed(async (stage) => {
      const ledger = {
        ...stage.ports.ledger,
        async append(lease: Lease, entries: readonly JournalEntry[]) {
          await stage.ports.ledger.append(lease, entries);
          const isMeant = entries.some(({ result }) => result === 'intended');
          if (isMeant) await stage.ports.ledger.signal('rollout-1', signal('abort'));
        },
      };

      await stopBatch(stage.batch(ALL), { ...stage.ports, ledger });
      expect(stage.writes).toEqual([]);
      expect(await journalOf(stage)).toEqual([
        'web-2 intended',
        'web-2 kept aborted',
        'web-3 kept aborted',
      ]);
    });
  });

  test('a stop that is in doubt stays so when the next try is called off', async () => {
    await failed(async (stage) => {
      await stage.ports.ledger.append(stage.lease, [line('stop', 'web-2', 'intended')]);
      await stage.ports.ledger.signal('rollout-1', signal('abort'));

      expect(await stop(stage)).toEqual({ unknown: 1, kept: 1 });
      expect(stage.writes).toEqual([]);
    });
  });

  test('an abort that asks for stops lets them go on', async () => {
    await failed(async (stage) => {
      await stage.ports.ledger.signal('rollout-1', signal('abort', { onFailure: 'stop-old' }));
      await stop(stage);

      expect(stage.writes).toEqual(['stop web-2', 'stop web-3']);
    });
  });

  const LATER: readonly [string, FailurePolicy, readonly string[]][] = [
    ['that asks for stops makes them after all', 'stop-old', ['stop web-2', 'stop web-3']],
    ['that asks for no stops leaves them so', 'roll-back', []],
  ];
  test.each(LATER)('what was called off: an abort %s', async (_, onFailure, writes) => {
    await failed(async (stage) => {
      await stage.ports.ledger.signal('rollout-1', signal('abort'));
      await stop(stage);
      expect(stage.writes).toEqual([]);
      await stage.ports.ledger.signal('rollout-1', signal('abort', { onFailure }));
      await stop(stage);

      expect(stage.writes).toEqual(writes);
    });
  });

  const REFUSED = [line('stop', 'web-2', 'intended'), line('stop', 'web-2', 'rejected')];

  test('a stop that was refused did nothing: whoever has stopped the endpoint was somebody else', async () => {
    await failed(async (stage) => {
      await stage.ports.ledger.append(stage.lease, REFUSED);
      stage.list = FLEET.with(1, moving('web-2', { status: 'STOPPED' }));
      await stop(stage, { from: 1, to: 2 });

      expect(stage.writes).toEqual([]);
      expect((await journalOf(stage)).at(-1)).toBe('web-2 kept stopped-already');
    });
  });

  test('a stop whose intention got old is meant once, and refused once', async () => {
    await failed(async (stage) => {
      const ledger = {
        ...stage.ports.ledger,
        async append(lease: Lease, entries: readonly JournalEntry[]) {
          await stage.ports.ledger.append(lease, entries);
          if (stage.now === NOW) stage.now += 60_000;
        },
      };
      const service = {
        ...stage.ports.service,
        async stop() {
          throw new SteprollError(ErrorName.UpstreamRejected, '400');
        },
      };
      await stopBatch(stage.batch({ from: 1, to: 2 }), { ...stage.ports, ledger, service });

      expect(await journalOf(stage)).toEqual(['web-2 intended', 'web-2 rejected UpstreamRejected']);
    });
  });

  test('a stop that was refused three times is not sent again', async () => {
    await failed(async (stage) => {
      await stage.ports.ledger.append(stage.lease, [...REFUSED, ...REFUSED, ...REFUSED]);
      await stop(stage);

      expect(stage.writes).toEqual(['stop web-3']);
      expect(await journalOf(stage)).not.toContain('web-2 kept');
    });
  });

  test('what was kept for another reason stays so, whatever an abort asks for', async () => {
    await failed(async (stage) => {
      await stage.ports.ledger.append(stage.lease, [
        { ...line('stop', 'web-2', 'kept'), reason: 'recovering' },
      ]);
      await stage.ports.ledger.signal('rollout-1', signal('abort', { onFailure: 'stop-old' }));
      await stop(stage);

      expect(stage.writes).toEqual(['stop web-3']);
    });
  });

  test('the signal ends it between two stops', async () => {
    await failed(async (stage) => {
      expect(await stop(stage, {}, AbortSignal.abort())).toEqual({});
      expect(stage.writes).toEqual([]);
    });
  });

  test('a rollout on its way back stops nothing, however far from there an endpoint is', async () => {
    await failed(async (stage) => {
      const endpoints = [plannedBack('web-1'), plannedBack('web-2')];
      const cause = { outcome: 'Failed', reason: 'Stalled', message: '' } as const;
      const back = { ...plan, direction: 'back' as const, endpoints };
      await stage.ports.ledger.freezeRollback(stage.lease, { cause, seen: [], plan: back });
      await stage.ports.ledger.append(stage.lease, [line('roll-back', 'web-2', 'accepted')]);
      stage.list = [live('web-1'), live('web-2', { targetVersion: 2 })];

      expect(await stop(stage)).toEqual({});
      expect(stage.writes).toEqual([]);
    });
  });

  test('X03: a lease that is lost between two stops ends it', async () => {
    await failed(async (stage) => {
      const service = {
        ...stage.ports.service,
        async stop(runtimeId: string, id: string) {
          await stage.ports.service.stop(runtimeId, id);
          const { request } = await stage.read();
          const late = NOW + 3_600_000;
          await stage.ports.ledger.open({ ...request, rolloutId: 'rollout-2' }, late, late);
        },
      };

      await expect(stopBatch(stage.batch(ALL), { ...stage.ports, service })).rejects.toMatchObject({
        name: 'LeaseLost',
      });
      expect(stage.writes).toEqual(['stop web-2']);
    });
  });
});
