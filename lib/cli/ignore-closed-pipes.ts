import { ExitCode } from './exit-code.ts';

/**
 * A reader that has seen enough, such as `head`, must not end a rollout nor change its exit code. A full
 * disk must not end one either, but a result that is lost is no success.
 */
export function ignoreClosedPipes(): void {
  let isTold = false;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isTold) return;
    isTold = true;
    process.stderr.write(`The result could not be written: ${message}\n`);
    process.once('exit', () => {
      process.exitCode ||= ExitCode.Unknown;
    });
  });
  // There is no other place to say it.
  process.stderr.on('error', () => {});
}
