import { ExitCode } from './exit-code.ts';

/** Ctrl-C, a polite kill, and a terminal or connection that went away. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Interrupt {
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
