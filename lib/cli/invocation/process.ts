import { constants } from 'node:os';
import { ExitCode } from './exit-code.ts';

/**
 * When a reader such as `head` has seen enough and ends, that must not end a rollout or change its exit code. A full
 * disk must not end a rollout either, but a result that is lost is not a success.
 */
export function ignoreClosedPipes(): void {
  let isReported = false;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isReported) return;
    isReported = true;
    process.stderr.write(`The result could not be written: ${message}\n`);
    process.once('exit', () => {
      process.exitCode ||= ExitCode.Unknown;
    });
  });
  // There is no other place to report it.
  process.stderr.on('error', () => {});
}

/** Ctrl-C, a normal kill, and a terminal or connection that is gone. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Lets commands end on a signal in a container, too, where process 1 is spared the signals that it does not heed. */
export function heedSignals(): void {
  if (process.pid !== 1) return;
  for (const name of SIGNALS) {
    process.on(name, () => {
      // Who listens as well ends the work that is under way.
      if (process.listenerCount(name) === 1) process.exit(128 + constants.signals[name]);
    });
  }
}

interface Interrupt {
  readonly signal: AbortSignal;
  /** The signal that came; `null` until there is one. */
  by(): NodeJS.Signals | null;
  release(): void;
}

/** A terminal tells everybody of a Ctrl-C, and npm hands it on to the program that it runs: signals so close are one. */
const ONE_PRESS_MS = 500;

/**
 * Turns the first Ctrl-C into an abort, so that the current work can finish. A second Ctrl-C ends the process at
 * once. `release` restores the normal handling of signals.
 */
export function onInterrupt(): Interrupt {
  const controller = new AbortController();
  let by: NodeJS.Signals | null = null;
  let cameAt = 0;
  const abort = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) {
      if (performance.now() - cameAt > ONE_PRESS_MS) process.exit(ExitCode.Interrupted);
      return;
    }
    cameAt = performance.now();
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
