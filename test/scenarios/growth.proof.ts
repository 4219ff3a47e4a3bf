import { expect, test } from '@jest/globals';
import { createMemoryLedger } from '../../lib/adapters/ledger/memory/ledger.ts';
import { type Simulation, simulateRollout } from '../bench/cost/simulate-rollout.ts';

/** Four times as many endpoints: no processor is needed to see what grows faster than they do. */
const [SMALLER, LARGER] = [5_000, 20_000];

const KIB = 1024;

test('a rollout of 20,000 endpoints reads the list no more often than one of 5,000, and every payload stays small', async () => {
  const smaller = await rollout(SMALLER);
  const larger = await rollout(LARGER);

  expect(smaller.writes).toBe(SMALLER);
  expect(larger.writes).toBe(LARGER);
  expect(larger.sweeps).toBe(smaller.sweeps);
  expect(larger.states).toEqual(smaller.states);
  expect(Math.max(...larger.payloads)).toBeLessThanOrEqual(128 * KIB);
});

function rollout(endpoints: number): Promise<Simulation> {
  return simulateRollout(endpoints, 60, createMemoryLedger());
}
