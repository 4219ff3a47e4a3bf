import { systemClock } from '../../adapters/machine/clock.ts';
import { userName } from '../../adapters/machine/environment.ts';
import { toTime } from '../../contract/output/event.ts';
import type { Signal } from '../../domain/rollout/record.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { type HowToPrint, isForPeople, printResult } from '../terminal/print-result.ts';
import { plainText } from '../terminal/text.ts';
import { describeSent } from '../words/sent.ts';

/**
 * Sends a person's signal to a rollout under way.
 *
 * @throws `RolloutNotFound`, `RolloutClosed`, `NotUnderstood`, `LedgerUnavailable`.
 */
export async function sendSignal(
  rolloutId: string,
  said: Pick<Signal, 'kind' | 'wave' | 'onFailure' | 'reason'>,
  ledger: Ledger,
): Promise<Signal> {
  const signal = { ...said, at: systemClock.now(), by: whoIsHere() };
  await ledger.signal(rolloutId, signal);
  return signal;
}

export function whoIsHere(): string {
  return userName() || 'an unnamed user';
}

/** Says to people what follows from a signal that was sent just now, after what others have said meanwhile. */
export async function tellSent(
  rolloutId: string,
  signal: Signal,
  ledger: Pick<Ledger, 'read'>,
): Promise<string> {
  // The signal was accepted, even if nothing can be read now.
  const record = await ledger.read(rolloutId).catch(() => null);
  return describeSent(signal, record?.signals ?? [signal], record?.plan ?? null);
}

/** Prints the signal that was sent. @param sentence Says to people what follows. */
export function reportSignal(
  rolloutId: string,
  { kind, wave, onFailure, by, reason, at }: Signal,
  sentence: string,
  how: HowToPrint,
): void {
  if (isForPeople(how)) {
    process.stdout.write(`${plainText(sentence)}\n`);
    return;
  }
  const said = {
    rolloutId,
    signal: kind,
    wave: wave === null ? null : wave + 1,
    onFailure: onFailure ?? null,
    by,
    reason,
    at: toTime(at),
  };
  printResult(said, how);
}
