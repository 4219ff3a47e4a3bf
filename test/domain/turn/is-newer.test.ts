import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isNewer } from '../../../lib/domain/turn/is-newer.ts';

const wish = (desiredVersion: number, at: number) =>
  ({ desiredVersion, startedBy: { kind: 'release', name: '', at } }) as const;

test.each([
  ['the later one', wish(2, 1_001), wish(3, 1_000), true],
  ['the earlier one', wish(3, 1_000), wish(2, 1_001), false],
  ['of the same moment: the higher version', wish(3, 1_000), wish(2, 1_000), true],
  ['of the same moment: the lower version', wish(2, 1_000), wish(3, 1_000), false],
  ['the very same', wish(2, 1_000), wish(2, 1_000), false],
])('%s', (_, one, other, isIt) => {
  expect(isNewer(one, other)).toBe(isIt);
});

test('E10: of any number of wishes one is the newest, in whatever order they come', () => {
  const few = fc.integer({ min: 1, max: 4 });
  const wishes = fc.array(fc.tuple(few, few), { minLength: 1 });
  fc.assert(
    fc.property(wishes, (each) => {
      const all = each.map(([version, at]) => wish(version, at));
      const newest = (list: typeof all) =>
        list.reduce((best, next) => (isNewer(next, best) ? next : best));

      expect(newest(all.toReversed())).toEqual(newest(all));
      expect(all.some((other) => isNewer(other, newest(all)))).toBe(false);
    }),
  );
});
