import { spawnSync } from 'node:child_process';
import { EMULATOR } from './emulator.ts';

// Says in a line what is missing, where the tests would each say it.
if (spawnSync(EMULATOR, ['--help']).error !== undefined) {
  process.stderr.write(
    `The end-to-end tests need ${EMULATOR}, an emulator of AWS: pip install -r test/e2e/requirements.txt\n`,
  );
  process.exitCode = 1;
}
