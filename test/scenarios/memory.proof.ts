import { expect, test } from '@jest/globals';
import { rollFleet } from '../bench/growth/grow-fleets.ts';

/** Megabytes of V8's heap. The code alone, with the AWS SDK and a state machine, takes more than a third of them. */
const HEAP_MB = 160;

test('5,000 endpoints are rolled on the ledger of AWS in a small part of the memory that a function has', async () => {
  const { httpCalls, largestPayload } = await rollFleet(5_000, HEAP_MB);

  expect(httpCalls).toBe(9_750);
  expect(largestPayload).toBeLessThanOrEqual(128 * 1024);
});
