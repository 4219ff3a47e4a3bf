import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Lease } from '../../../lib/domain/rollout/lease.ts';
import type { Signal } from '../../../lib/domain/rollout/record.ts';
import type { WaitChange } from '../../../lib/domain/rollout/wait.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { progressOf } from '../../domain/examples.ts';
import { ABORTED, expectError, NOW, opened, SUCCEEDED } from './ledger-examples.ts';

/** The wave under way waits for a person. */
export const ASKS: WaitChange = {
  before: null,
  wait: { for: 'approval', of: null, wave: null, since: NOW, until: null, lookAt: NOW + 5_000 },
};

/** A rollout whose first wave waits for people. */
async function asking(ledger: Ledger): Promise<Lease> {
  const lease = await opened(ledger);
  await ledger.saveProgress(lease, progressOf(0, []), ASKS);
  return lease;
}

function yes(key: string, said: Partial<Signal> = {}): Signal {
  return { kind: 'approve', at: NOW, wave: 0, by: `arn:${key}`, reason: '', key, ...said };
}

/** What a close answers that has read none of these. */
function outcomeFor(signals: readonly Signal[]) {
  return signals.length === 0 ? SUCCEEDED : null;
}

/** What every ledger promises of the answers of people. */
export function describeAnswers(makeLedger: () => Ledger | Promise<Ledger>): void {
  describe('an answer of a person', () => {
    test('is read with the key of whoever gave it, in whose place it is, and once however often it is sent', async () => {
      const ledger = await makeLedger();
      const lease = await asking(ledger);
      const answers = [
        yes('ann'),
        yes('bob', { at: NOW + 1 }),
        yes('bob', { at: NOW + 2, kind: 'reject' }),
      ];

      for (const said of [...answers, ...answers]) await ledger.signal(lease.rolloutId, said);

      expect((await ledger.read(lease.rolloutId)).signals).toEqual(answers);
      expect((await ledger.hear(lease)).signals).toEqual(answers);
      expect(await ledger.stopAsking(lease)).toEqual(answers);
    });

    test('is of one rollout, whatever else the person has answered', async () => {
      const ledger = await makeLedger();
      const [one, other] = [await asking(ledger), await asking(ledger)];

      await ledger.signal(one.rolloutId, yes('ann'));

      expect((await ledger.read(one.rolloutId)).signals).toEqual([yes('ann')]);
      expect((await ledger.read(other.rolloutId)).signals).toEqual([]);
    });

    test('is refused before anybody was asked, to another wave, and once nobody is asked any more', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      const { rolloutId } = lease;
      await expectError('ApprovalNotWanted', ledger.signal(rolloutId, yes('ann')));
      await ledger.saveProgress(lease, progressOf(0, []), ASKS);
      await expectError('ApprovalNotWanted', ledger.signal(rolloutId, yes('ann', { wave: 1 })));

      expect(await ledger.stopAsking(lease)).toEqual([]);

      await expectError('ApprovalNotWanted', ledger.signal(rolloutId, yes('ann')));
      expect((await ledger.read(rolloutId)).signals).toEqual([]);
      await ledger.saveProgress(lease, progressOf(0, []), ASKS);
      await ledger.signal(rolloutId, yes('ann'));
      expect((await ledger.read(rolloutId)).signals).toEqual([yes('ann')]);
      await ledger.close(rolloutId, ABORTED, NOW);
      await expectError('RolloutClosed', ledger.signal(rolloutId, yes('bob')));
      await expectError('RolloutNotFound', ledger.signal(randomUUID(), yes('bob')));
    });

    test('X09: keeps an outcome from being stored that has not heard it', async () => {
      const ledger = await makeLedger();
      const lease = await asking(ledger);
      await ledger.signal(lease.rolloutId, yes('ann'));

      expect(await ledger.close(lease.rolloutId, SUCCEEDED, NOW, [])).toBeNull();
      expect(await ledger.close(lease.rolloutId, SUCCEEDED, NOW, [yes('ann')])).toEqual(SUCCEEDED);
      expect((await ledger.read(lease.rolloutId)).signals).toEqual([yes('ann')]);
    });

    test('X09: at once with a close, or with the end of the question, is refused or heard', async () => {
      const ledger = await makeLedger();
      for (let round = 0; round < 20; round += 1) {
        const lease = await asking(ledger);
        const { rolloutId } = lease;
        const isClosed = round % 2 === 0;

        const [said, ended] = await Promise.allSettled([
          ledger.signal(rolloutId, yes('ann')),
          isClosed ? ledger.close(rolloutId, SUCCEEDED, NOW, []) : ledger.stopAsking(lease),
        ]);

        const { signals } = await ledger.read(rolloutId);
        expect(signals).toEqual(said.status === 'fulfilled' ? [yes('ann')] : []);
        const value = isClosed ? outcomeFor(signals) : signals;
        expect(ended).toEqual({ status: 'fulfilled', value });
      }
    });

    test('X03: is not asked for any more by who has lost the lease', async () => {
      const ledger = await makeLedger();
      const lease = await asking(ledger);

      await expectError('LeaseLost', ledger.stopAsking({ ...lease, epoch: lease.epoch + 1 }));

      await ledger.signal(lease.rolloutId, yes('ann'));
    });
  });
}
