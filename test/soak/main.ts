import { parseArgs } from 'node:util';
import { createRandom } from '../../lib/rehearsal/random.ts';
import { readArguments, wholeNumber } from '../support/command-arguments.ts';
import { killReleases } from './kill-releases.ts';
import { measureSizes } from './measure-sizes.ts';

// npm run soak -- --rounds 3 --seed 1
//
// Releases groups over HTTP, with real processes: some that are killed again and again, and some whose memory and
// sockets are measured. It takes about six minutes, and two more for each further round of killed ones.

const { rounds, seed } = readArguments(() => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
    },
  });
  return {
    rounds: wholeNumber('--rounds', values.rounds, 0),
    seed: wholeNumber('--seed', values.seed),
  };
});

const faults: string[] = [];
for (let round = 0; round < rounds; round += 1) {
  const [wrong, done] = await killReleases(createRandom(seed + round));
  faults.push(...wrong);
  process.stdout.write(`${[...done, ...wrong].join('\n')}\n`);
}
process.stdout.write(`\n${(await measureSizes()).join('\n')}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
