import { growBursts } from './grow-bursts.ts';
import { growFleets } from './grow-fleets.ts';
import { growRehearsals } from './grow-rehearsals.ts';
import { type Growth, growthTable } from './growth.ts';

/** A part of the section: things that grow, each over some sizes. */
type Part = () => Promise<readonly Growth[]>;

const PARTS: readonly Part[] = [growFleets, growRehearsals, growBursts];

/** What a few things take as they grow. Calls and units are counted, and CPU time is none of the others' business. */
export async function benchGrowth(): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const measure of PARTS) {
    for (const growth of await measure()) lines.push('', ...growthTable(growth));
  }
  return ['Growth: what it takes, and the exponent (^) from each size to the next one', ...lines];
}
