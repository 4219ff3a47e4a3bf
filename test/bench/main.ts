import { benchColdStart } from './cold-start/bench-cold-start.ts';
import { benchCost } from './cost/bench-cost.ts';
import { benchGrowth } from './growth/bench-growth.ts';
import { benchBadNights } from './rehearsal/bench-bad-nights.ts';
import { benchRehearsals } from './rehearsal/bench-rehearsals.ts';
import { benchStart } from './start/bench-start.ts';
import { benchSweep } from './sweep/bench-sweep.ts';
import { benchSynth } from './synth/bench-synth.ts';

/** Measures or counts something and answers the lines to print. */
export type Section = () => Promise<readonly string[]>;

const SECTIONS: readonly Section[] = [
  benchSweep,
  benchStart,
  benchColdStart,
  benchSynth,
  benchCost,
  benchRehearsals,
  benchBadNights,
  benchGrowth,
];

for (const run of SECTIONS) {
  process.stdout.write(`${(await run()).join('\n')}\n\n`);
}
