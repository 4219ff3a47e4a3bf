import { expect, test } from '@jest/globals';
import { LONGEST_QUEUE_SECONDS, queueSeconds } from '../../../lib/domain/turn/queue.ts';

test.each([
  [-60, 15],
  [0, 15],
  [150, 15],
  [151, 16],
  [1_000, 100],
  [3_000, 300],
  [80_000, 300],
])('after %d s of waiting the next try is in %d s', (waited, seconds) => {
  expect(queueSeconds(waited)).toBe(seconds);
});

test('E10: a day of waiting is some 330 tries, a fraction of what a history holds', () => {
  let waited = 0;
  let tries = 0;
  for (; waited < LONGEST_QUEUE_SECONDS && tries < 400; tries += 1) waited += queueSeconds(waited);

  expect(tries).toBeGreaterThan(300);
  expect(tries).toBeLessThan(340);
});
