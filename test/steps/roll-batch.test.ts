import { describe, expect, test } from '@jest/globals';
import type { Batch } from '../../lib/contract/flow/position.ts';
import { REST_ABILITIES } from '../../lib/contract/service/services.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { FailurePolicy } from '../../lib/domain/rollout/policy.ts';
import type { EndpointService } from '../../lib/ports/endpoint-service.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { rollBatch } from '../../lib/steps/roll-batch.ts';
import {
  endpoint,
  line,
  live,
  moving,
  plannedBack,
  planOf,
  progressOf,
  signal,
} from '../domain/examples.ts';
import { enlistNewer, NOW, onStage, type Stage } from './stage.ts';

const { ids: _ids, ...plan } = planOf([3]);
const FLEET = [endpoint('web-1'), endpoint('web-2'), endpoint('web-3')];
const given = { plan, progress: progressOf(0, []) };

const ALL = { from: 0, to: 3 };
const roll = (stage: Stage, said: Partial<EndpointService> = {}) =>
  rollBatch(stage.batch(ALL), {
    ...stage.ports,
    service: { ...stage.ports.service, ...said },
  });

const journalOf = async (stage: Stage) =>
  (await stage.read()).journal.map(({ operation, endpointId, result }) =>
    [operation, endpointId, result].join(' '),
  );

describe('rollBatch', () => {
  test('rolls its part of the plan, and writes the intention down before', async () => {
    await onStage(given, async (stage) => {
      stage.list = FLEET;
      let journalAtFirst: readonly string[] = [];
      const ports = {
        ...stage.ports,
        service: {
          ...stage.ports.service,
          async roll() {
            journalAtFirst = await journalOf(stage);
            return null;
          },
        },
      };

      expect(await rollBatch(stage.batch({ from: 1, to: 2 }), ports)).toEqual({ accepted: 1 });
      expect(journalAtFirst).toEqual(['roll web-2 intended']);
      expect(await journalOf(stage)).toEqual(['roll web-2 intended', 'roll web-2 accepted']);
    });
  });

  test('rolls nothing beyond the wave that the ledger is at, whatever a batch names', async () => {
    const { ids: _, ...inWaves } = planOf([1, 2], { maxUnavailable: 3 });
    await onStage({ plan: inWaves, progress: progressOf(0, []) }, async (stage) => {
      stage.list = FLEET;

      expect(await roll(stage)).toEqual({ accepted: 1 });
      expect(await journalOf(stage)).toEqual(['roll web-1 intended', 'roll web-1 accepted']);
    });
  });

  test('X03: one that is taken over in the midst of slow writes sends no more than what is under way', async () => {
    const { ids, ...large } = planOf([20]);
    await onStage({ ...given, plan: large }, async (stage) => {
      stage.list = ids.map((id) => endpoint(id));
      const sent: string[] = [];
      const isSlow: EndpointService['roll'] = async (_runtimeId, endpointId) => {
        sent.push(endpointId);
        stage.now += 11_000;
        const over = { outcome: 'Aborted', reason: 'x', cleanup: 'none', message: '' } as const;
        await stage.ports.ledger.close('rollout-1', over, stage.now);
        return null;
      };
      const ports = { ...stage.ports, service: { ...stage.ports.service, roll: isSlow } };

      await expect(rollBatch(stage.batch({ from: 0, to: 20 }), ports)).rejects.toMatchObject({
        name: 'LeaseLost',
      });
      // As many as are written at once.
      expect(sent.length).toBeLessThanOrEqual(8);
    });
  });

  test('leaves alone what is there already, gone, stopped or somebody else’s', async () => {
    await onStage(given, async (stage) => {
      stage.list = [live('web-1'), endpoint('web-2', { targetVersion: 9 })];

      expect(await roll(stage)).toEqual({});
      expect(stage.writes).toEqual([]);
      expect(await journalOf(stage)).toEqual([]);
    });
  });

  test('X04: run again, it sends nothing twice, and notes what the list shows of a roll in doubt', async () => {
    await onStage(given, async (stage) => {
      await stage.ports.ledger.append(stage.lease, [
        { ...line('roll', 'web-1', 'accepted'), at: NOW },
        { ...line('roll', 'web-2', 'intended'), at: NOW },
        { ...line('roll', 'web-3', 'intended'), at: NOW },
      ]);
      stage.list = [endpoint('web-1'), moving('web-2'), endpoint('web-3')];

      expect(await roll(stage)).toEqual({ accepted: 1 });
      expect(stage.writes).toEqual([]);
      expect((await journalOf(stage)).at(-1)).toBe('roll web-2 accepted');
    });
  });

  test('H08: a roll that is lost is made once more, a minute later', async () => {
    await onStage(given, async (stage) => {
      const lost = { ...line('roll', 'web-1', 'unknown'), at: NOW };
      await stage.ports.ledger.append(stage.lease, [{ ...lost, result: 'intended' }, lost]);
      stage.list = [endpoint('web-1'), live('web-2'), live('web-3')];
      await roll(stage);
      expect(stage.writes).toEqual([]);

      // The look that this batch follows has come a minute after it.
      const look = { clock: { at: NOW + 60_000, watched: 60_000 } };
      await stage.ports.ledger.saveProgress(stage.lease, progressOf(0, [], look));
      stage.now = NOW + 60_000;
      await roll(stage);
      expect(stage.writes).toEqual(['roll web-1 3']);
    });
  });

  test('H14: until when the service wants to be left alone is in the journal', async () => {
    await onStage(given, async (stage) => {
      stage.list = FLEET;
      const busy = new SteprollError(ErrorName.UpstreamThrottled, '429', { retryAfterSeconds: 90 });
      await roll(stage, { roll: () => Promise.reject(busy) });

      const { journal } = await stage.read();
      expect(journal.find(({ result }) => result === 'rejected')).toMatchObject({
        reason: 'UpstreamThrottled',
        retryAt: NOW + 90_000,
      });
    });
  });

  test('H11: a roll without an answer is in doubt, and the answer that shows the target is none', async () => {
    await onStage(given, async (stage) => {
      stage.list = FLEET;
      const lost = new SteprollError(ErrorName.OutcomeUnknown, 'reset');
      const summary = await roll(stage, {
        roll: async (_runtimeId, id) => {
          if (id === 'web-1') throw lost;
          return id === 'web-2' ? moving(id) : endpoint(id);
        },
      });

      expect(summary).toEqual({ unknown: 1, accepted: 2 });
      const last = (await stage.read()).journal.slice(-3);
      expect(last.map(({ reason }) => reason)).toEqual([
        'OutcomeUnknown',
        'target-taken',
        undefined,
      ]);
    });
  });

  test.each([
    [200, 'answer-unreadable'],
    [299, 'answer-unreadable'],
    [500, 'OutcomeUnknown'],
  ])('a roll in doubt that was answered with %i is called %s', async (httpStatus, reason) => {
    await onStage(given, async (stage) => {
      stage.list = FLEET;
      const odd = new SteprollError(ErrorName.OutcomeUnknown, 'no endpoint', { httpStatus });
      await roll(stage, { roll: () => Promise.reject(odd) });

      const last = (await stage.read()).journal.at(-1);
      expect(last).toMatchObject({ result: 'unknown', reason, message: 'no endpoint' });
    });
  });

  test.each<[string, (stage: Stage) => Promise<void>]>([
    ['it was aborted', (stage) => stage.ports.ledger.signal('rollout-1', signal('abort'))],
    [
      'it has turned around since',
      async (stage) => {
        const back = { ...plan, direction: 'back' as const, endpoints: [plannedBack('web-2')] };
        const cause = { outcome: 'Failed', reason: 'Stalled', message: '' } as const;
        await stage.ports.ledger.freezeRollback(stage.lease, { cause, seen: [], plan: back });
      },
    ],
  ])('reads and writes nothing when %s', async (_why, happens) => {
    await onStage(given, async (stage) => {
      await happens(stage);
      stage.list = new Error('Not read.');

      expect(await roll(stage)).toEqual({});
      expect(stage.writes).toEqual([]);
    });
  });

  test.each<[FailurePolicy, string[]]>([
    ['roll-back', ['roll web-2 2']],
    ['hold', []],
    ['stop-old', []],
  ])('after an abort that asks for %s, the way back sends %j', async (onFailure, sent) => {
    await onStage(given, async (stage) => {
      const back = { ...plan, direction: 'back' as const, endpoints: [plannedBack('web-2')] };
      const cause = { outcome: 'Aborted', reason: 'Aborted', message: '' } as const;
      await stage.ports.ledger.freezeRollback(stage.lease, { cause, seen: [], plan: back });
      await stage.ports.ledger.signal('rollout-1', signal('abort', { onFailure }));
      stage.list = [live('web-1'), live('web-2')];

      await rollBatch(stage.batch({ direction: 'back', from: 0, to: 1 }), stage.ports);
      expect(stage.writes).toEqual(sent);
    });
  });

  describe('a batch of more than a handful', () => {
    const { ids, ...large } = planOf([40]);
    const whole = { from: 0, to: 40 };
    /** Each handful of writes takes so many seconds; `meanwhile` is told how many were sent before. */
    const slowly = async (
      stage: Stage,
      seconds: number,
      meanwhile: (sent: number) => unknown = () => undefined,
    ) => {
      let reads = 0;
      const sent: string[] = [];
      const service: EndpointService = {
        ...stage.ports.service,
        list(runtimeId) {
          reads += 1;
          return stage.ports.service.list(runtimeId);
        },
        async roll(_runtimeId, endpointId) {
          const before = sent.length;
          sent.push(endpointId);
          if (before % 8 === 0) {
            stage.now += seconds * 1000;
            await meanwhile(before);
          }
          return null;
        },
      };
      stage.list = ids.map((id) => endpoint(id));
      const summary = await rollBatch(stage.batch(whole), { ...stage.ports, service });
      const { journal } = await stage.read();
      const reasons = journal.flatMap(({ result, reason }) =>
        result === 'not-sent' ? [reason] : [],
      );
      return { summary, reads, sent: sent.length, reasons: [...new Set(reasons)] };
    };

    test('whose writes take seconds reads the list once', async () => {
      await onStage({ ...given, plan: large }, async (stage) => {
        expect(await slowly(stage, 2)).toMatchObject({ reads: 1, summary: { accepted: 40 } });
      });
    });

    test('never rests on a list that is older than 10 s', async () => {
      await onStage({ ...given, plan: large }, async (stage) => {
        expect(await slowly(stage, 10)).toMatchObject({ reads: 5, summary: { accepted: 40 } });
      });
    });

    test('nor does a handful that the ledger keeps waiting', async () => {
      await onStage({ ...given, plan: large }, async (stage) => {
        let readAt = 0;
        const ages: number[] = [];
        const service: EndpointService = {
          ...stage.ports.service,
          async list(runtimeId) {
            readAt = stage.now;
            return stage.ports.service.list(runtimeId);
          },
          async roll() {
            ages.push(stage.now - readAt);
            if (ages.length % 8 === 0) stage.now += 5_000;
            return null;
          },
        };
        const ledger: Ledger = {
          ...stage.ports.ledger,
          async hear(of) {
            stage.now += 9_000;
            return stage.ports.ledger.hear(of);
          },
        };
        stage.list = ids.map((id) => endpoint(id));
        await rollBatch(stage.batch(whole), { ...stage.ports, service, ledger });

        expect(ages).toHaveLength(40);
        expect(Math.max(...ages)).toBeLessThan(15_000);
      });
    });

    test('X06: sends nothing more when somebody else moves an endpoint of the wave while it is written', async () => {
      await onStage({ ...given, plan: large }, async (stage) => {
        const run = await slowly(stage, 8, (sent) => {
          if (sent === 8)
            stage.list = ids.map((id) =>
              endpoint(id, id === 'web-40' ? { liveVersion: 9, targetVersion: 9 } : {}),
            );
        });
        expect(run).toMatchObject({
          summary: { accepted: 16, 'not-sent': 24 },
          reasons: ['NotNeeded'],
        });
        expect((await stage.read()).journal.at(-1)).toMatchObject({
          endpointId: 'web-40',
          result: 'not-sent',
        });
      });
    });

    test.each(['abort', 'give-way'] as const)(
      'begins no write any more after: %s',
      async (kind) => {
        await onStage({ ...given, plan: large }, async (stage) => {
          await enlistNewer(signal(kind).by, stage.ports.ledger);
          const run = await slowly(stage, 1, async (sent) => {
            if (sent === 8) await stage.ports.ledger.signal('rollout-1', signal(kind));
          });
          expect(run).toMatchObject({ sent: 16, reasons: ['ToldToEnd'] });
        });
      },
    );

    test('H24: sends no more when the list cannot be read once more', async () => {
      await onStage({ ...given, plan: large }, async (stage) => {
        const run = await slowly(stage, 8, (sent) => {
          if (sent === 8) stage.list = new SteprollError(ErrorName.UpstreamTransient, '503');
        });
        expect(run).toMatchObject({ sent: 16, reasons: ['UpstreamTransient'] });
      });
    });

    test('A01: ends before its function does, and leaves the rest for the next look', async () => {
      await onStage({ ...given, plan: large }, async (stage) => {
        expect(await slowly(stage, 67)).toMatchObject({ sent: 24, reasons: ['Interrupted'] });
      });
    });
  });

  test('A16: LeaseLost before anything is read', async () => {
    await onStage(given, async (stage) => {
      stage.list = new Error('Not read.');
      const batch = stage.batch({ ...ALL, epoch: 9 });

      await expect(rollBatch(batch, stage.ports)).rejects.toMatchObject({ name: 'LeaseLost' });
    });
  });

  test.each<[string, Stage['list'], ErrorName]>([
    [
      'H24: without a list',
      new SteprollError(ErrorName.UpstreamTransient, '503'),
      'UpstreamTransient',
    ],
    ['H06: on a list without most of the fleet', [endpoint('web-1')], 'ListUnstable'],
  ])('%s nothing is written, in the journal neither', async (_row, list, name) => {
    await onStage(given, async (stage) => {
      stage.list = list;

      await expect(roll(stage)).rejects.toMatchObject({ name });
      expect(stage.writes).toEqual([]);
      expect(await journalOf(stage)).toEqual([]);
    });
  });
});

describe('rollBatch at a service that repeats rolls', () => {
  const abilities = { ...REST_ABILITIES, repeatsRolls: true };
  const unanswered = new SteprollError(ErrorName.OutcomeUnknown, 'No answer came.');

  /** Rolls one endpoint as often as there are answers, and notes the token of each roll. */
  async function tokensOf(
    answers: readonly (SteprollError | null)[],
    batch: Partial<Batch> = {},
    said = abilities,
  ): Promise<(string | undefined)[]> {
    const tokens: (string | undefined)[] = [];
    await onStage(given, async (stage) => {
      stage.list = FLEET;
      for (const answer of answers) {
        const service = {
          ...stage.ports.service,
          abilities: said,
          async roll(...[, , , , token]: Parameters<EndpointService['roll']>) {
            tokens.push(token);
            if (answer !== null) throw answer;
            return null;
          },
        };
        await rollBatch(stage.batch({ from: 1, to: 2, ...batch }), { ...stage.ports, service });
      }
    });
    return tokens;
  }

  test('H11: a roll without an answer is sent again with the same token, as often as it takes', async () => {
    const [first, ...others] = await tokensOf([unanswered, unanswered, unanswered, null]);
    expect(first).toMatch(/^[a-zA-Z0-9](-*[a-zA-Z0-9]){32,255}$/);
    expect(others).toEqual([first, first, first]);
  });

  test('A01: one that dies around a roll uses the same token when it runs again', async () => {
    const [died] = await tokensOf([unanswered]);
    expect(await tokensOf([null])).toEqual([died]);
  });

  test('a roll that was surely refused is another try, with another token', async () => {
    const throttled = new SteprollError(ErrorName.UpstreamThrottled, 'Not now.');
    const tokens = await tokensOf([throttled, throttled, null]);
    expect(tokens.length).toBeGreaterThanOrEqual(3);
    expect(new Set(tokens).size).toBe(tokens.length);
  });

  test('each endpoint has a token of its own', async () => {
    const [one] = await tokensOf([null]);
    const [other] = await tokensOf([null], { from: 2, to: 3 });
    expect(other).not.toBe(one);
  });

  test('H11: any other service gets no token, and no second roll before its time', async () => {
    expect(await tokensOf([unanswered, null], {}, REST_ABILITIES)).toEqual([undefined]);
  });
});
