import { expect, test } from '@jest/globals';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import { countEndpoints } from '../../../lib/domain/events/events.ts';
import { line, planOf } from '../examples.ts';

const count = (...journal: readonly JournalEntry[]) =>
  countEndpoints({ plan: planOf([3]), journal });

const NOTHING = { planned: 3, rolled: 0, rolledBack: 0, stopped: 0, kept: 0 };
const meant = (id: string) => line('roll', id, 'intended');

test('nothing was done', () => {
  expect(count()).toEqual(NOTHING);
});

test.each<[string, number, readonly JournalEntry[]]>([
  ['that was accepted', 1, [meant('a'), line('roll', 'a', 'accepted')]],
  ['that got no answer', 1, [meant('a'), line('roll', 'a', 'unknown')]],
  ['that was meant when the process died', 1, [meant('a')]],
  ['that was refused', 0, [meant('a'), line('roll', 'a', 'rejected')]],
  ['that was not sent', 0, [line('roll', 'a', 'not-sent')]],
  [
    'that was made once more',
    1,
    [meant('a'), line('roll', 'a', 'accepted'), ...[meant('a'), line('roll', 'a', 'accepted')]],
  ],
  [
    'that was refused the second time, which does not take the first one back',
    1,
    [meant('a'), line('roll', 'a', 'accepted'), ...[meant('a'), line('roll', 'a', 'rejected')]],
  ],
])('a roll %s counts %d', (_, rolled, journal) => {
  expect(count(...journal)).toEqual({ ...NOTHING, rolled });
});

test('each way has a count of its own', () => {
  const journal = [
    ...[meant('a'), line('roll', 'a', 'accepted')],
    ...[meant('b'), line('roll', 'b', 'accepted')],
    ...[line('roll-back', 'b', 'intended'), line('roll-back', 'b', 'accepted')],
  ];

  expect(count(...journal)).toEqual({ ...NOTHING, rolled: 2, rolledBack: 1 });
});

test('of the stops of an endpoint the last one counts', () => {
  const journal = [
    line('stop', 'a', 'kept', 'min-serving'),
    line('stop', 'a', 'accepted'),
    line('stop', 'b', 'rejected'),
    line('stop', 'c', 'kept', 'min-serving'),
  ];

  expect(count(...journal)).toEqual({ ...NOTHING, stopped: 1, kept: 1 });
});
