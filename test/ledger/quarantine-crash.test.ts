import { expect, test } from '@jest/globals';
import { createMemoryStorage } from '../../lib/adapters/ledger/memory/ledger.ts';
import type { Outcome } from '../../lib/domain/rollout/outcome.ts';
import { createLedger } from '../../lib/ledger/ledger.ts';
import { type RemoteStorage, settleRemotely } from '../../lib/ledger/storage.ts';
import { EXPIRED, NOW, requestOf, UNTIL } from '../adapters/ledger/ledger-examples.ts';

const BAD: Outcome = {
  outcome: 'Failed',
  failure: 'bad',
  cleanup: 'none',
  reason: 'GateFailed',
  message: 'A gate says no.',
};

/** A ledger whose process dies at the write of this number, of all that it makes. */
function ledgerUntil(storage: ReturnType<typeof createMemoryStorage>, last: number) {
  let writes = 0;
  const remote: RemoteStorage = {
    get: async (ask) => storage.get(ask),
    list: async (ask) => storage.list(ask),
    find: async (ask) => storage.find(ask),
    async update(ask) {
      writes += 1;
      if (writes > last) throw new Error('The process is dead.');
      return storage.update(ask);
    },
  };
  return createLedger((rule) => settleRemotely(remote, rule));
}

test.each([0, 1, 2])(
  'whoever dies after %d writes of the close, the version is in quarantine before another one has the lease',
  async (writes) => {
    const storage = createMemoryStorage(new Map());
    const ledger = ledgerUntil(storage, Number.POSITIVE_INFINITY);
    const request = requestOf('shop');
    await ledger.open(request, NOW, UNTIL);
    const dying = ledgerUntil(storage, writes);
    await expect(dying.close(request.rolloutId, BAD, NOW)).rejects.toThrow('dead');

    await ledger.open(requestOf('shop'), EXPIRED + 1, EXPIRED + 300_000);

    const { outcome } = await ledger.read(request.rolloutId);
    const { holds } = await ledger.hear({ rolloutId: '', runtimeId: 'shop' });
    // Who died before it could write anything down has not said that the version is bad.
    const failed = outcome?.failure === 'bad' ? [request.rolloutId] : [];
    expect(failed).toHaveLength(writes === 0 ? 0 : 1);
    expect(holds.map(({ after }) => after)).toEqual(failed);
  },
);
