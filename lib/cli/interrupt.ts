import { ExitCode } from './exit-code.ts';

/** Ctrl-C, a polite kill, and a terminal or connection that went away. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Turns the first Ctrl-C into an abort that lets the work in hand finish; the second one ends the
 * process at once. `release` gives the signals back.
 */
export function onInterrupt(): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const abort = () => {
    if (controller.signal.aborted) process.exit(ExitCode.Interrupted);
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, abort);
  return {
    signal: controller.signal,
    release() {
      for (const name of SIGNALS) process.off(name, abort);
    },
  };
}
