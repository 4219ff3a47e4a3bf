import { rmSync } from 'node:fs';
import { runJobs } from '../../../lib/adapters/machine/threads.ts';
import { openProgress, progressFile } from './progress.ts';
import { grouped } from './results.ts';

const TELL_EVERY_MS = 30_000;

/** What is drawn from seeds, and simulated on all processors. Draws and results are plain data. */
interface Simulation<Draw, Result> {
  readonly draws: readonly Draw[];
  /** The file that each thread runs. */
  readonly thread: URL;
  readonly simulate: (draw: Draw) => Promise<Result>;
  /** Simulates what has been simulated before, too. */
  readonly afresh: boolean;
  /** Called with each result, also with those from before, in any order. */
  readonly note: (result: Result) => void;
  /** How many were simulated so far, as `note` has counted them. */
  readonly count: () => number;
  /** How far it has got, in words. */
  readonly state: (rates: string) => string;
}

/**
 * Simulates all draws that were not simulated before with the same sources. Every half a minute it tells on standard
 * error how far it has got, and also when it is interrupted. The same command then goes on from there.
 *
 * @returns how fast it was, in words. `null`: it was interrupted.
 */
export async function runDraws<Draw, Result>({
  draws,
  thread,
  simulate,
  afresh,
  note,
  count,
  state,
}: Simulation<Draw, Result>): Promise<string | null> {
  const file = progressFile(thread);
  if (afresh) rmSync(file, { force: true });
  const progress = openProgress<Draw, Result>(file);
  const left = draws.filter((draw) => {
    const known = progress.find(draw);
    if (known !== undefined) note(known);
    return known === undefined;
  });
  const before = count();
  if (before > 0) print(`${grouped(before)} have been simulated before.`);

  const begun = { cpu: process.cpuUsage(), at: performance.now() };
  const rates = () => {
    const { user, system } = process.cpuUsage(begun.cpu);
    const done = count() - before;
    if (done === 0) return 'none of them simulated now';
    const perSecond = (seconds: number) => {
      const rate = done / Math.max(seconds, 1e-3);
      return rate < 10 ? rate.toFixed(1) : Math.round(rate);
    };
    const passed = (performance.now() - begun.at) / 1000;
    return `${perSecond(passed)} a second, ${perSecond((user + system) / 1e6)} a second of CPU time`;
  };
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupt.abort());
  const tell = () => process.stderr.write(`${state(rates())}\n`);
  const clock = setInterval(tell, TELL_EVERY_MS).unref();
  try {
    await runJobs({
      jobs: left,
      thread,
      here: simulate,
      signal: interrupt.signal,
      onResult(result, index) {
        progress.add(left[index] as Draw, result);
        note(result);
      },
    });
    return rates();
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    print(`\nInterrupted: ${state(rates())}. The same command goes on from here.`);
    return null;
  } finally {
    clearInterval(clock);
  }
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
