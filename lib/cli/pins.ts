import { systemClock } from '../adapters/machine/clock.ts';
import { commandOf } from '../domain/command.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../domain/errors.ts';
import { describeHold, type Hold } from '../domain/holds/hold.ts';
import { faultOfUnpin, pinsFor } from '../domain/holds/pins.ts';
import { plainText } from '../telling/text.ts';
import {
  type EngineOptions,
  engineArguments,
  hasHistory,
  withEngine,
} from './engine/open-engine.ts';
import { confirm, hasPerson, terminalOfProcess } from './terminal/ask.ts';

interface Write {
  /** What people type to send it. */
  readonly words: readonly string[];
  readonly runtimeId: string;
  readonly endpointId: string;
}

interface Options extends EngineOptions {
  readonly '--yes': boolean;
  readonly '--unpin'?: readonly string[] | undefined;
}

/**
 * Whether a person may write to an endpoint: one that is pinned only with its pin named, or after a question.
 *
 * @throws `Held` where nobody is asked, `InvalidInput` for an id that is no pin in force, and `LedgerUnavailable`.
 */
export async function mayWritePinned(
  { words, runtimeId, endpointId }: Write,
  options: Options,
): Promise<boolean> {
  const { '--unpin': unpin = [], '--yes': isAgreed } = options;
  const holds = await readHolds(options).catch((cause: unknown): never => {
    const command = commandOf([...words, '--unpin', 'UNREAD'], engineArguments(options));
    const message = `Nobody knows whether it is pinned, so nothing was sent: ${errorMessageOf(cause)} To do it all the same: ${command}`;
    throw new SteprollError(ErrorName.LedgerUnavailable, message, { cause });
  });
  if (holds === null) return true;
  refuseUnpin(unpin, runtimeId, holds);
  const pin = pinsFor({ runtimeId, unpin }, holds, systemClock.now()).get(endpointId);
  if (pin === undefined) return true;
  const why = describeHold(pin);
  if (!isAgreed && hasPerson(terminalOfProcess())) {
    return confirm(plainText(`${why} Do it all the same?`));
  }
  const command = commandOf([...words, '--unpin', pin.id], engineArguments(options));
  throw new SteprollError(ErrorName.Held, `${why} To do it all the same: ${command}`);
}

/** `null`: they cannot be read, and a person has said that no pin is to keep the write back. */
async function readHolds(options: Options): Promise<readonly Hold[] | null> {
  if (!hasHistory(options)) return [];
  try {
    return await withEngine({ ...options, '--debug': false }, ({ ledger }) => ledger.listHolds());
  } catch (error) {
    if (options['--unpin']?.includes('UNREAD')) return null;
    throw error;
  }
}

/** @throws `InvalidInput` where one of them is no pin in force. */
export function refuseUnpin(
  unpin: readonly string[],
  runtimeId: string,
  holds: readonly Hold[],
): void {
  const fault = faultOfUnpin(unpin, runtimeId, holds, systemClock.now());
  if (fault !== null) throw new SteprollError(ErrorName.InvalidInput, fault);
}
