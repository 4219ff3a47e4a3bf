import { describe, expect } from '@jest/globals';
import { type Run, runScenario } from '../support/run-scenario.ts';
import { test } from '../support/test-on-services.ts';
import { wrapSteps } from '../support/wrap-steps.ts';

const KIB = 1024;
const LARGEST_PAYLOAD = 128 * KIB;

/** What a state reads and what it answers is what its step reads and answers. */
let largest = 0;
const engine = wrapSteps(async (run, _state, payload) => {
  const answer = await run();
  largest = Math.max(largest, sizeOf(payload), sizeOf(answer));
  return answer;
});

describe.each([12, 1_000])('a rollout of %i endpoints', (endpoints) => {
  test('a poll is 3 transitions and 1 sweep of the list, and payloads stay small', async () => {
    largest = 0;
    const run = await runScenario({
      endpoints,
      engine,
      policy: { pollSeconds: 10, bakeSeconds: 60 },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Succeeded',
      reason: 'Converged',
      cleanup: 'none',
    });
    expect(new Set(run.rolled).size).toBe(endpoints);
    expect(transitionsOfPolls(run)).toEqual([3]);
    expect(sweepsOf(run)).toBe(sweepsExpectedOf(run));
    expect(largest).toBeGreaterThan(0);
    expect(largest).toBeLessThanOrEqual(LARGEST_PAYLOAD);
    expect(eventsOf(run)).toBeLessThanOrEqual(20_000);
  });
});

/** Transitions from one poll to the next where nothing is rolled in between: how many there are. */
function transitionsOfPolls({ states }: Run): number[] {
  const polls = states.flatMap((state, index) => (state === 'Wait for the roll' ? [index] : []));
  const lengths = polls.slice(1).map((poll, index) => {
    const before = polls[index] ?? 0;
    return states.slice(before, poll);
  });
  const plain = lengths.filter((turn) => !turn.includes('Roll wave') && !turn.includes('Bake'));
  return [...new Set(plain.map(({ length }) => length))];
}

function sweepsOf({ calls }: Run): number {
  return calls.filter(({ operation }) => operation === 'list').length;
}

/** Two to plan on, one for each poll, bake and batch, and one just before each stop. */
function sweepsExpectedOf(run: Run): number {
  return 2 + countOf(run, 'Look') + countOf(run, 'Roll batch') + run.stopped.length;
}

/** As AWS counts them: at most 7 for a Task in a Map with its iteration, 5 for a Task, 2 for the rest. */
function eventsOf({ states }: Run): number {
  return states.reduce((sum, state) => sum + (/^(Roll|Stop) batch$/.test(state) ? 7 : 5), 0);
}

function countOf({ states }: Run, name: string): number {
  return states.filter((state) => state === name).length;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
