import { expect, test } from '@jest/globals';
import type { AskedRequest } from '../../../lib/domain/rollout/request.ts';
import { acceptedAt } from '../../../lib/domain/rollout/waiting.ts';
import { waitToOpen } from '../../../lib/steps/opening/wait-to-open.ts';
import { recordOf } from '../../domain/examples.ts';
import { NOW, onStage, type Stage } from '../stage.ts';

const REQUEST: AskedRequest = { ...recordOf().request, rolloutId: 'rollout-4', desiredVersion: 4 };
const TURN = { for: 'turn', message: 'It waits.', seconds: 60, until: NOW + 90_000 } as const;

async function wait(
  { ports: { ledger, clock } }: Stage,
  hindrance: Parameters<typeof waitToOpen>[1],
) {
  const { request, waiting } = await ledger.read('rollout-4');
  return waitToOpen({ request, waiting }, hindrance, { ledger, clock });
}

test('what a rollout waits for, why and until when is in the ledger', async () => {
  await onStage({}, async (stage) => {
    await stage.ports.ledger.enlist(REQUEST, acceptedAt(NOW), NOW);

    expect(await wait(stage, TURN)).toEqual({ next: 'queue', seconds: 60 });

    const { waiting } = await stage.ports.ledger.read('rollout-4');
    expect(waiting).toEqual({
      ...{ for: 'turn', message: 'It waits.', since: NOW, wakesAt: NOW + 60_000 },
      ...{ until: NOW + 90_000, waited: { turn: 0, version: 0, list: 0 } },
    });
  });
});

test('each wait is counted by itself, whatever lies between', async () => {
  await onStage({}, async (stage) => {
    await stage.ports.ledger.enlist(REQUEST, acceptedAt(NOW), NOW);
    await wait(stage, TURN);
    stage.now += 60_000;
    await wait(stage, { ...TURN, for: 'window', seconds: 86_400 });
    stage.now += 86_400_000;
    await wait(stage, { ...TURN, for: 'version', seconds: 30 });
    stage.now += 30_000;
    await wait(stage, TURN);
    // A machine that slept has not waited.
    stage.now += 3_600_000;
    await wait(stage, { ...TURN, for: 'list' });

    const { waiting } = await stage.ports.ledger.read('rollout-4');
    expect(waiting?.waited).toEqual({ turn: 120, version: 30, list: 0 });
  });
});

test('one that was taken back meanwhile waits no more', async () => {
  await onStage({}, async (stage) => {
    const { ledger } = stage.ports;
    await ledger.enlist(REQUEST, acceptedAt(NOW), NOW);
    const { request, waiting } = await ledger.read('rollout-4');
    const outcome = {
      outcome: 'Aborted',
      reason: 'Aborted',
      cleanup: 'none',
      message: '',
    } as const;
    await ledger.withdraw('rollout-4', outcome, NOW);

    await expect(waitToOpen({ request, waiting }, TURN, stage.ports)).rejects.toMatchObject({
      name: 'RolloutClosed',
    });
  });
});
