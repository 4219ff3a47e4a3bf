import { expect, test } from '@jest/globals';
import { render } from './render.ts';

const sizes = [
  { name: 'empty', bytes: 500 },
  { name: 'list-fetch', bytes: 120_000 },
  { name: 'roll', bytes: 780_400 },
];
const times = {
  'load empty': [10],
  'load list-fetch': [20],
  'load roll': [50],
  'answer empty': [10],
  'answer list-fetch': [40],
};

test('a row has the size, and for each measure the ratio to nothing and to fetch', () => {
  const rows = render(sizes, times, 1).slice(-3);
  expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
    ['empty', '1', '1.00 / 0.50', '1.00 / 0.25'],
    ['list-fetch', '120', '2.00 / 1.00', '4.00 / 1.00'],
    ['roll', '780', '5.00 / 2.50'],
  ]);
});
