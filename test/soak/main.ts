import { parseArgs } from 'node:util';
import { createRandom } from '../../lib/rehearsal/random.ts';
import { killReleases } from './kill-releases.ts';
import { measureSizes } from './measure-sizes.ts';

// npm run soak -- --rounds 3 --seed 1
//
// Releases groups over HTTP, with real processes: some that are killed again and again, and some whose memory and
// sockets are measured. It takes about six minutes, and two more for each further round of killed ones.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
  },
});

const faults: string[] = [];
for (let round = 0; round < Number(values.rounds); round += 1) {
  const [wrong, done] = await killReleases(createRandom(Number(values.seed) + round));
  faults.push(...wrong);
  process.stdout.write(`${[...done, ...wrong].join('\n')}\n`);
}
process.stdout.write(`\n${(await measureSizes()).join('\n')}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
