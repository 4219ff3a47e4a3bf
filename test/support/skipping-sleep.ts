import { noMicrotasks } from '../../lib/rehearsal/virtual-time.ts';

/** A sleep that takes no time, once whatever needs none is done: by then nobody may wait for it any more. */
export function skippingSleep(skip: (milliseconds: number) => unknown) {
  return async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    await noMicrotasks();
    signal?.throwIfAborted();
    await skip(milliseconds);
  };
}
