import { expect, test } from '@jest/globals';
import type { Hold } from '../../../lib/domain/holds/hold.ts';
import {
  quarantinesFor,
  whatPauses,
  whatQuarantines,
} from '../../../lib/domain/holds/what-holds.ts';

const NOW = 1_000;
const OF_8: Hold & { readonly until: number } = {
  ...{ id: 'h', kind: 'quarantine', by: 'ann', reason: 'x', at: 0, until: 2_000 },
  scope: { runtimeId: 'shop', version: 8 },
};

test('is on one version of one runtime', () => {
  expect(whatQuarantines('shop', [7, 8], [OF_8], NOW)).toEqual([OF_8]);
  expect(whatQuarantines('shop', [7], [OF_8], NOW)).toEqual([]);
  expect(whatQuarantines('docs', [8], [OF_8], NOW)).toEqual([]);
  expect(quarantinesFor({ runtimeId: 'shop' }, [OF_8], NOW)).toEqual([OF_8]);
  expect(quarantinesFor({ runtimeId: 'shop', again: true }, [OF_8], NOW)).toEqual([]);
  expect(quarantinesFor({ runtimeId: 'docs' }, [OF_8], NOW)).toEqual([]);
  expect(quarantinesFor({ runtimeId: 'shop' }, [OF_8], OF_8.until)).toEqual([]);
});

test('pauses what is under way to the version, unless a person wanted it again', () => {
  const rollout = { rolloutId: 'r', runtimeId: 'shop', desiredVersion: 8 };
  expect(whatPauses(rollout, [OF_8], NOW)).toEqual([OF_8]);
  expect(whatPauses({ ...rollout, again: true }, [OF_8], NOW)).toEqual([]);
  expect(whatPauses({ ...rollout, desiredVersion: 7 }, [OF_8], NOW)).toEqual([]);
  expect(whatPauses({ ...rollout, revert: 'q' }, [OF_8], NOW)).toEqual([]);
});
