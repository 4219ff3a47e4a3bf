import { expect, test } from '@jest/globals';
import { openSqliteLedger } from '../../lib/adapters/ledger/sqlite/ledger.ts';
import { tellRuntime } from '../../lib/console/desk/runtime.ts';
import type { Outcome } from '../../lib/domain/rollout/outcome.ts';
import { NOW, requestOf, SUCCEEDED, UNTIL } from '../adapters/ledger/ledger-examples.ts';

const RUNTIME = 'shop';
const FAILED: Outcome = {
  outcome: 'Failed',
  cleanup: 'none',
  reason: 'Stalled',
  message: 'Wave 1 of 3 made no progress.',
};

/** A ledger in which each version was rolled twice, and failed the first time. */
async function withVersions<T>(
  count: number,
  work: (ledger: Parameters<typeof tellRuntime>[2]) => Promise<T>,
): Promise<T> {
  const { ledger, end } = openSqliteLedger(':memory:');
  for (let index = 0; index < 2 * count; index += 1) {
    const request = { ...requestOf(RUNTIME), desiredVersion: 1 + (index >> 1) };
    await ledger.open(request, NOW + index, UNTIL);
    await ledger.close(request.rolloutId, index % 2 === 0 ? FAILED : SUCCEEDED, NOW + index);
  }
  try {
    return await work(ledger);
  } finally {
    end();
  }
}

test('what the page of a runtime gets of its history stays small, and more of it is there when it is asked for', async () => {
  await withVersions(400, async (ledger) => {
    const first = await tellRuntime(RUNTIME, { versions: 50 }, ledger, NOW);
    const more = await tellRuntime(RUNTIME, { versions: 250 }, ledger, NOW);

    expect(first.versionsFound).toBe(400);
    expect(first.versions).toHaveLength(50);
    expect(first.versions[0]).toEqual({
      version: 400,
      ends: { Succeeded: 1, Failed: 1 },
      lastFailure: { rolloutId: expect.any(String), message: FAILED.message },
    });
    expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(32 * 1024);
    expect(more.versions).toHaveLength(250);
    expect(more.versions.slice(0, 50)).toEqual(first.versions);
  });
});
