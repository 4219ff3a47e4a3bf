import { spawnSync } from 'node:child_process';

/** What a cold start of Lambda does: loads the bundle, and hands it an event where there is one. */
const PROGRAM = `
  const [, bundle, event] = process.argv;
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    require('node:fs').writeSync(3, String((user + system) / 1_000));
  });
  const { handler } = require(bundle);
  if (event !== undefined) handler(JSON.parse(event)).then(() => process.exit());
`;

/**
 * Milliseconds of CPU time of a whole process, from its start. Not of the clock on the wall: that one
 * counts what else a busy machine does.
 */
export function runProcess(
  bundle: string,
  environment: Readonly<Record<string, string>>,
  event?: object,
): number {
  const argv = event === undefined ? [bundle] : [bundle, JSON.stringify(event)];
  const { output, status, stderr } = spawnSync(process.execPath, ['--eval', PROGRAM, ...argv], {
    env: { AWS_REGION: 'eu-central-1', ...environment },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${bundle} ended with ${status}: ${stderr}`);
  return Number(output[3]);
}
