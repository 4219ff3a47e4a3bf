import { type BurstCost, runBurst } from './burst.ts';
import type { Growth, Measured } from './growth.ts';

const SIZES = [100, 1_000, 10_000];

/** What a listener takes for releases that come all at once. Only Linux tells the memory and the CPU time of it. */
export async function growBursts(): Promise<readonly Growth[]> {
  if (process.platform !== 'linux') return [];
  return [
    {
      title: 'A burst of releases, each of a runtime of its own',
      measured: await measure((releases) => runBurst({ releases, runtimes: releases, policy: {} })),
    },
    {
      title: 'A burst of releases of one runtime, with the policy latest',
      measured: await measure((releases) =>
        runBurst({
          releases,
          runtimes: 1,
          policy: { onConflict: 'latest', maxVersionStep: releases + 1 },
        }),
      ),
    },
  ];
}

async function measure(run: (releases: number) => Promise<BurstCost>): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const size of SIZES) {
    const { calls, cpu, acceptedCpu, megabytes, timeouts, outcomes } = await run(size);
    const ends = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`);
    const note = `accepted after ${acceptedCpu.toFixed(1)} CPU-s, ${timeouts} time-outs, ${ends.join(', ')}`;
    measured.push({ size, calls, cpu, megabytes, note });
  }
  return measured;
}
