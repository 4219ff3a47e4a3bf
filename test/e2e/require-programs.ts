import { spawnSync } from 'node:child_process';
import { EMULATOR } from './emulator.ts';
import { PROMETHEUS } from './prometheus.ts';

// Says in a line what is missing, where the tests would each say it.

const NEEDED = [
  [EMULATOR, 'an emulator of AWS', 'pip install -r test/e2e/requirements.txt'],
  [PROMETHEUS, 'the server of Prometheus', 'apt-get install prometheus'],
] as const;

for (const [program, what, mend] of NEEDED) {
  if (spawnSync(program, ['--help']).error === undefined) continue;
  process.stderr.write(`The end-to-end tests need ${program}, ${what}: ${mend}\n`);
  process.exitCode = 1;
}
