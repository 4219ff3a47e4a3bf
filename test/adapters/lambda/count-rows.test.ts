import { expect, test } from '@jest/globals';
import { countRows } from '../../../lib/adapters/lambda/telemetry.ts';

test('the rows of a pipeline are counted', () => {
  const rows = ['accepted', 'unknown', 'accepted'].map((result) => ({ endpointId: 'e', result }));
  expect(countRows(rows)).toEqual([
    ['accepted', 2],
    ['unknown', 1],
  ]);
});

test('the counts of the workflow are taken', () => {
  expect(countRows({ accepted: 3, kept: 1, rejected: 0 })).toEqual([
    ['accepted', 3],
    ['kept', 1],
  ]);
});

test.each([null, undefined, 'text', [], {}, [null], { endpoints: [], page: 1 }, { next: 'roll' }])(
  'there are none in %j',
  (answer) => {
    expect(countRows(answer)).toEqual([]);
  },
);
