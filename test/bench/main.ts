import { benchSweep } from './sweep/bench-sweep.ts';

/** Measures something and answers the lines to print. */
export type Section = () => Promise<readonly string[]>;

const SECTIONS: readonly Section[] = [benchSweep];

for (const run of SECTIONS) {
  process.stdout.write(`${(await run()).join('\n')}\n\n`);
}
