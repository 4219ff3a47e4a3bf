import { expect, test } from '@jest/globals';
import { labelsOf, spanOf } from '../../lib/console/pages/axis-times.ts';

const NOW = Date.UTC(2026, 10, 29, 22);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

test.each([
  [[], 1],
  [[10], 1],
  [[10, 90], 3],
  [[10, 20, 7 * 24 * 60], 1],
  [[5 * 24 * 60], 168],
])('an axis for what comes in %j minutes has %i hours', (minutes, hours) => {
  const times = minutes.map((one) => NOW + one * MINUTE_MS);
  expect(spanOf(times, NOW)).toBe(hours * HOUR_MS);
});

test('its labels are what clocks show', () => {
  const labels = labelsOf(NOW, 6 * HOUR_MS);
  expect(labels).toEqual(['22:00Z', '23:30Z', '01:00Z', '02:30Z', '04:00Z']);
  expect(labelsOf(NOW, 72 * HOUR_MS).at(-1)).toBe('2026-12-02 22:00Z');
});
