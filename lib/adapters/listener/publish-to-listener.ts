import * as z from 'zod';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { type ListenerAddress, readListenerFile } from './listener-file.ts';

/** A release event, in the form that it has on the event bus. The listener gives it an id and a time. */
export interface ReleaseEvent {
  readonly source: string;
  readonly 'detail-type': string;
  readonly detail: object;
}

const START_ONE = 'start one with: steproll listen';
const TIMEOUT_MS = 10_000;

/**
 * Sends a release to the listener that runs on this machine.
 *
 * @param stateDirectory Where the listener keeps its state.
 * @throws `InvalidTrigger`, `StaleTrigger`, `UnknownRuntime`, `VersionsUnsupported`: the release was refused.
 *   `InvalidInput`: the file with the address is refused. `EventsUnavailable`: there is no listener, or nobody knows
 *   whether it has taken the release.
 */
export async function publishToListener(
  stateDirectory: string,
  event: ReleaseEvent,
): Promise<z.output<typeof takenSchema>> {
  const address = readListenerFile(stateDirectory);
  if (address === null) {
    throw unavailable(`No listener runs with the state in ${stateDirectory}; ${START_ONE}.`);
  }
  const { status, text } = await post(address, event);
  if (status === 202) return parse(takenSchema, text, address);
  if (status === 401) {
    throw unavailable(`The listener at ${address.url} is another one; ${START_ONE}.`);
  }
  const { error, message } = parse(refusalSchema, text, address);
  const name = REFUSALS.find((known) => known === error);
  if (name !== undefined) throw new SteprollError(name, message);
  throw unavailable(`The listener at ${address.url} answered ${status}, ${error}: ${message}`);
}

const REFUSALS = [
  ErrorName.InvalidTrigger,
  ErrorName.StaleTrigger,
  ErrorName.UnknownRuntime,
  ErrorName.VersionsUnsupported,
];

async function post(
  { url, token }: ListenerAddress,
  event: ReleaseEvent,
): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const answer = await fetch(`${url}/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(event),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: answer.status, text: await answer.text() };
  } catch (cause) {
    throw isRefused(cause)
      ? unavailable(`No listener answers at ${url}; ${START_ONE}.`, cause)
      : unavailable(`The listener at ${url} gave no answer: it may have taken the release.`, cause);
  }
}

/** Nobody listens there, so the release was not taken. */
function isRefused(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: string } };
  return cause?.code === 'ECONNREFUSED';
}

const takenSchema = z.object({
  /** Id of the rollout that the release starts. */
  rolloutId: z.string(),
  result: z.enum(['started', 'duplicate']),
});
const refusalSchema = z.object({ error: z.string(), message: z.string() });

function parse<T>(schema: z.ZodType<T>, text: string, { url }: ListenerAddress): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw unavailable(`What answers at ${url} is no listener; ${START_ONE}.`, cause);
  }
}

function unavailable(message: string, cause?: unknown): SteprollError {
  return new SteprollError(
    ErrorName.EventsUnavailable,
    message,
    cause === undefined ? {} : { cause },
  );
}
