import { expect, test } from '@jest/globals';
import { runFrom } from '../../../lib/steps/io/running-clock.ts';

test("L07: the clock of a rollout goes on by what passes in the process, however the machine's clock jumps", () => {
  let [machine, elapsed] = [1_000_000, 70];
  const now = runFrom(
    { at: 1_000_000, watched: 5_000 },
    { now: () => machine, elapsed: () => elapsed },
  );
  const pass = (jumpMs: number) => {
    machine += 2_000 + jumpMs;
    elapsed += 2_000;
    return now();
  };

  expect(pass(30_000)).toEqual({ at: 1_032_000, watched: 7_000 });
  expect(pass(-3_600_000)).toEqual({ at: machine, watched: 9_000 });
  elapsed += 600_000;
  expect(now()).toEqual({ at: machine, watched: 9_000 });
  expect(pass(0)).toMatchObject({ watched: 11_000 });
});
