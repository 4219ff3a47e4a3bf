import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { onInterrupt } from '../interrupt.ts';
import { Interrupted } from '../interrupted.ts';

/**
 * Sends a write, and when that goes wrong says whether it may have been carried out. Ctrl-C ends the
 * wait for the answer.
 *
 * @param write What it is called: `stop`.
 * @throws what `send` throws, with that sentence; `Interrupted` after Ctrl-C.
 */
export async function sendWrite<T>(
  write: string,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, release } = onInterrupt();
  try {
    return await send(signal);
  } catch (error) {
    if (isServicesNo(error) && !signal.aborted) throw error;
    const name = error instanceof SteprollError ? error.name : ErrorName.OutcomeUnknown;
    const wasGivenUp = signal.aborted && error === signal.reason;
    const sentence =
      wasGivenUp || name !== ErrorName.OutcomeUnknown
        ? `The ${write} was not carried out.`
        : `The ${write} may have been carried out: look at the list before you send it again.`;
    if (signal.aborted) throw new Interrupted(sentence, { cause: error });
    throw new SteprollError(name, `${errorMessageOf(error)}\n${sentence}`, { cause: error });
  } finally {
    release();
  }
}

/** It says itself that nothing was done. */
function isServicesNo(error: unknown): boolean {
  return (
    error instanceof SteprollError &&
    error.httpStatus !== undefined &&
    error.name !== ErrorName.OutcomeUnknown
  );
}
