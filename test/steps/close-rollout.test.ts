import { describe, expect, test } from '@jest/globals';
import type { CloseInput } from '../../lib/contract/flow/position.ts';
import { acceptedAt } from '../../lib/domain/rollout/opening.ts';
import { closeRollout } from '../../lib/steps/close-rollout.ts';
import { line, planOf, progressOf, seen } from '../domain/examples.ts';
import { NOW, onStage, type Stage } from './stage.ts';

const { ids: _ids, ...plan } = planOf([2]);
const progress = progressOf(0, [seen('converged', 2), seen('progressing')]);
const ending = { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' } as const;
const INTERRUPTED = { outcome: 'Aborted', reason: 'Interrupted', message: 'Ctrl-C.' } as const;
const HELD = { Error: 'LeaseHeld', Cause: 'Somebody else has it.' };
const rolled = ['web-1', 'web-2'].map((id) => line('roll', id, 'accepted'));

const FAILING = {
  kind: 'failing',
  eventId: 'rollout-1/2-failing',
  rolloutId: 'rollout-1',
  runtimeId: 'shop',
  desiredVersion: 2,
  at: NOW,
  message: '',
  reason: 'Stalled',
  cause: ending,
  onFailure: 'stop-old',
} as const;

const close = (stage: Stage, state: CloseInput['state']) =>
  closeRollout({ rolloutId: 'rollout-1', state }, stage.ports);

const underWay = (work: (stage: Stage) => Promise<void>) =>
  onStage({ plan, progress }, async (stage) => {
    await stage.ports.ledger.append(stage.lease, rolled);
    await work(stage);
  });

describe('closeRollout', () => {
  test('writes the outcome down, and gives the lease back', async () => {
    await underWay(async (stage) => {
      stage.now = NOW + 1000;
      const outcome = await close(stage, { ending, oldEndpoints: 0 });

      const message =
        'It stalled. At its end, 1 of 2 endpoints was on version 3, 1 in mid-roll (web-2).';
      expect(outcome).toEqual({ ...ending, cleanup: 'none', message });
      expect(await stage.read()).toMatchObject({ outcome, endedAt: NOW + 1000 });
      const renewed = stage.ports.ledger.renew(stage.lease, NOW);
      await expect(renewed).rejects.toMatchObject({ name: 'LeaseLost' });
    });
  });

  test('X09: the first outcome is the only one', async () => {
    await underWay(async (stage) => {
      const first = await close(stage, { ending, oldEndpoints: 0 });
      const other = { outcome: 'Succeeded', reason: 'Converged', message: 'Done.' } as const;

      expect(await close(stage, { ending: other })).toEqual(first);
    });
  });

  test.each<[string, CloseInput['state'], object]>([
    [
      'the error of a step, with Lambda’s wrapping taken off',
      { error: { Error: 'UpstreamAuth', Cause: '{"errorMessage":"403 from the service"}' } },
      {
        outcome: 'Errored',
        reason: 'UpstreamAuth',
        message: expect.stringMatching(/^403 from the service\. /),
      },
    ],
    ['the error of a step as it is', { error: HELD }, { outcome: 'Refused', reason: 'LeaseHeld' }],
    [
      'an error beside an ending: the error came last',
      { error: { Error: 'UpstreamAuth' }, ending },
      { outcome: 'Errored', reason: 'UpstreamAuth' },
    ],
    ['nothing at all', {}, { outcome: 'Errored', reason: 'IncompatibleState' }],
  ])('ends with %s', async (_what, state, outcome) => {
    await underWay(async (stage) => {
      expect(await close(stage, state)).toMatchObject(outcome);
    });
  });

  test.each<[string, CloseInput['state'], string]>([
    ['nobody looked at the old endpoint', { ending, oldEndpoints: 1 }, 'incomplete'],
    ['an error came before anybody looked', { error: { Error: 'UpstreamAuth' } }, 'incomplete'],
    [
      'a plain no came before anybody looked',
      { error: { Error: 'UpstreamRejected' } },
      'incomplete',
    ],
  ])('says of the cleanup, when %s', async (_what, state, cleanup) => {
    await underWay(async (stage) => {
      expect(await close(stage, state)).toMatchObject({ cleanup });
    });
  });

  const rejection = { kind: 'reject', at: NOW, wave: 0, by: 'ada', reason: '' } as const;
  const reject = async ({ ports: { ledger }, lease }: Stage) => {
    const { wait } = acceptedAt(NOW);
    await ledger.saveProgress(lease, progress, {
      before: null,
      wait: wait && { ...wait, for: 'approval' },
    });
    await ledger.signal('rollout-1', { ...rejection, onFailure: 'hold' });
  };
  const unlisted = {
    next: 'look-bake',
    onFailure: 'stop-old',
    error: { Error: 'UpstreamAuth' },
  } as const;

  test('follows a rejection that nobody has heard before an error, and not the policy of the request', async () => {
    await underWay(async (stage) => {
      await reject(stage);
      expect(await close(stage, unlisted)).toMatchObject({ cleanup: 'none' });
    });
  });

  test('leaves everything where it has told that it holds', async () => {
    await underWay(async (stage) => {
      await stage.ports.ledger.recordEvent(stage.lease, { ...FAILING, onFailure: 'hold' });
      const state = { next: 'contain', error: { Error: 'LeaseLost' } };
      expect(await close(stage, state)).toMatchObject({ cleanup: 'none' });
    });
  });

  test('follows what was told, whatever a rejection asks for after that', async () => {
    await underWay(async (stage) => {
      const { ledger } = stage.ports;
      await ledger.recordEvent(stage.lease, FAILING);
      await reject(stage);
      expect(await close(stage, unlisted)).toMatchObject({ cleanup: 'incomplete' });
    });
  });

  test('an old endpoint that was stopped is counted', async () => {
    await underWay(async (stage) => {
      await stage.ports.ledger.append(stage.lease, [line('stop', 'web-2', 'accepted')]);

      expect(await close(stage, { ending, oldEndpoints: 1 })).toMatchObject({ cleanup: 'stopped' });
    });
  });

  test('A05: an error of its opening, after a wait for its turn, ends it: it has the lease since', async () => {
    await onStage({}, async (stage) => {
      const waited = stage.position({ epoch: 0, next: 'open-turn', waitSeconds: 15 });
      const error = { Error: 'ListUnstable', Cause: 'Another list every time.' };
      const outcome = await close(stage, { ...waited, error });

      expect(outcome).toMatchObject({ outcome: 'Errored', reason: 'ListUnstable' });
      expect(await stage.read()).toMatchObject({ outcome, unsent: [] });
      expect(stage.told).toMatchObject([{ kind: 'ended' }]);
      expect(await stage.ports.ledger.listHeld()).toEqual([]);
    });
  });

  test.each<[string, CloseInput['state']]>([
    ['before it was its turn', { ending: INTERRUPTED, epoch: 0 }],
    ['when its lease was refused after a wait', { error: HELD, epoch: 0, next: 'open-turn' }],
  ])('X03: a process that ends %s leaves the rollout of another one alone', async (_, state) => {
    await underWay(async (stage) => {
      await close(stage, state);

      expect(await stage.read()).toMatchObject({ outcome: null });
      expect(stage.told).toEqual([]);
      expect(await stage.ports.ledger.listHeld()).toHaveLength(1);
    });
  });

  test('a rollout that never got the lease leaves no record', async () => {
    await onStage({}, async (stage) => {
      const state = { error: HELD };
      const outcome = await closeRollout({ rolloutId: 'rollout-2', state }, stage.ports);

      expect(outcome).toMatchObject({ outcome: 'Refused', reason: 'LeaseHeld', cleanup: 'none' });
      await expect(stage.ports.ledger.read('rollout-2')).rejects.toMatchObject({
        name: 'RolloutNotFound',
      });
    });
  });
});
