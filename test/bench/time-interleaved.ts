import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { interleave, type Rounds } from './interleave.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Something to time, by name. */
export type Contenders = Readonly<Record<string, () => Promise<unknown>>>;

const WARM_UP_ROUNDS = 3;

/** The milliseconds of every contender, interleaved. Each pays for its own garbage alone. */
export async function timeInterleaved(contenders: Contenders, rounds: number): Promise<Rounds> {
  const options = { rounds, warmUpRounds: WARM_UP_ROUNDS };
  return interleave(Object.keys(contenders), options, async (name) => {
    collectGarbage();
    const startedAt = performance.now();
    await contenders[name]?.();
    return performance.now() - startedAt;
  });
}
