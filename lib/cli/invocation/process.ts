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

/** Ctrl-C, a polite kill, and a terminal or connection that went away. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Interrupt {
  readonly signal: AbortSignal;
  /** The signal that it was; `null` until there is one. */
  by(): NodeJS.Signals | null;
  release(): void;
}

/**
 * Turns the first Ctrl-C into an abort that lets the work in hand finish; the second one ends the
 * process at once. `release` gives the signals back.
 */
export function onInterrupt(): Interrupt {
  const controller = new AbortController();
  let by: NodeJS.Signals | null = null;
  const abort = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(ExitCode.Interrupted);
    by = name;
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, abort);
  return {
    signal: controller.signal,
    by: () => by,
    release() {
      for (const name of SIGNALS) process.off(name, abort);
    },
  };
}
