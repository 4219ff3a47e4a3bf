import { ExitCode } from './exit-code.ts';

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
  process.on('SIGINT', abort);
  process.on('SIGTERM', abort);
  return {
    signal: controller.signal,
    release() {
      process.off('SIGINT', abort);
      process.off('SIGTERM', abort);
    },
  };
}
