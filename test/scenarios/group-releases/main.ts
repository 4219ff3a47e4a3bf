import { parseArgs } from 'node:util';
import { type SimulatedRelease, simulateRelease } from './simulate.ts';

// npm run group-releases -- --runs 1000 --seed 1
//
// Releases random versions to random groups, and counts how many runtimes were in mid-roll or lost at the same time,
// there and back. It prints every release that broke a promise. Each release has the seed after that of the one before
// it.

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
});
const runs = Number(values.runs);
const from = Number(values.seed);

const totals = { releases: 0, runtimes: 0, killed: 0, withBad: 0, lost: 0, back: 0, exceptions: 0 };
const asked: Record<string, number> = {};
const outcomes: Record<string, number> = {};
for (let seed = from; seed < from + runs; seed += 1) {
  const release: SimulatedRelease = await simulateRelease(seed);
  totals.releases += 1;
  totals.runtimes += release.runtimes;
  totals.killed += Number(release.wasKilled);
  totals.withBad += Number(release.bad > 0);
  totals.lost += release.lost;
  outcomes[release.outcome] = (outcomes[release.outcome] ?? 0) + 1;
  asked[release.asked] = (asked[release.asked] ?? 0) + 1;
  totals.back += Number(release.wentBack);
  if (release.violations.length === 0) continue;
  totals.exceptions += 1;
  process.stdout.write(`A promise was broken: ${JSON.stringify(release)}\n`);
}
process.stdout.write(`${JSON.stringify({ ...totals, asked, outcomes, nextSeed: from + runs })}\n`);
process.exitCode = totals.exceptions === 0 ? 0 : 1;
