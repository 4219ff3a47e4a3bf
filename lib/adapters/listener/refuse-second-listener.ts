import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { readListenerFile } from './listener-file.ts';

const TIMEOUT_MS = 2_000;

/**
 * Two listeners on one state directory would run every schedule twice, and hide each other's address.
 *
 * @throws `ListenerRunning`
 */
export async function refuseSecondListener(stateDirectory: string): Promise<void> {
  const address = readListenerFile(stateDirectory);
  if (address === null || !(await answers(address.url))) return;
  throw new SteprollError(
    ErrorName.ListenerRunning,
    `A listener runs already with the state in ${stateDirectory}, at ${address.url}. End that one first, or give this one a STEPROLL_STATE_DIR of its own.`,
  );
}

async function answers(url: string): Promise<boolean> {
  try {
    const { status } = await fetch(`${url}/healthz`, {
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return status === 200;
  } catch {
    return false;
  }
}
