import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { readStateFile, writeStateFile } from '../machine/state-folder.ts';

const FILE = 'listener.json';

/** Writes the address for the programs of this user, completely or not at all. Nobody else can read it. */
export function writeListenerFile(stateDirectory: string, { url, token }: ListenerAddress): void {
  writeStateFile(stateDirectory, FILE, { url, token });
}

/**
 * The address of the listener that started last; `null` when there is none. That listener may have died since.
 *
 * @throws `InvalidInput` when the file is a link or no file, or others may write to it.
 */
export function readListenerFile(stateDirectory: string): ListenerAddress | null {
  const text = readStateFile(stateDirectory, FILE);
  try {
    return text === null ? null : addressSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Removes the address, unless another listener has written its own since. */
export function removeListenerFile(stateDirectory: string, { token }: ListenerAddress): void {
  if (readListenerFile(stateDirectory)?.token !== token) return;
  rmSync(join(stateDirectory, FILE), { force: true });
}

/** The token may only be sent to this machine, whatever the file says. */
const addressSchema = z.object({
  url: z.string().regex(/^http:\/\/127\.0\.0\.1:\d{1,5}$/),
  token: z.string().regex(/^[\w-]+$/),
});
/** Where the listener of this machine is, and the token that a program needs. */
export type ListenerAddress = z.output<typeof addressSchema>;

const TIMEOUT_MS = 2_000;

/**
 * Two listeners on one state directory would run every schedule twice, and hide each other's address.
 *
 * @throws `ListenerRunning`, and `InvalidInput` for a file that is refused.
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
