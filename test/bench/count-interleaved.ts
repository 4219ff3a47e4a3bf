import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { interleave, type Rounds } from './interleave.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Something to measure, by name. */
export type Contenders = Readonly<Record<string, () => Promise<unknown>>>;

const WARM_UP_ROUNDS = 3;

/**
 * The milliseconds of CPU time that this process spends on every contender, interleaved. Each pays for its own garbage
 * alone. Elapsed time would tell how busy the machine is with something else.
 */
export async function countInterleaved(contenders: Contenders, rounds: number): Promise<Rounds> {
  const options = { rounds, warmUpRounds: WARM_UP_ROUNDS };
  return interleave(Object.keys(contenders), options, async (name) => {
    collectGarbage();
    const before = process.cpuUsage();
    await contenders[name]?.();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
}
