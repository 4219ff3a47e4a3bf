import { systemClock } from '../../adapters/machine/clock.ts';
import { userName } from '../../adapters/machine/environment.ts';
import { toTime } from '../../contract/output/event.ts';
import { type FailurePolicy, policyAfter } from '../../domain/rollout/policy.ts';
import type { Signal } from '../../domain/rollout/record.ts';
import type { PersonalKind } from '../../domain/signals/signals.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { withHistory } from '../engine/open-engine.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { signalSchema } from '../options/rollout-options.ts';
import { prepare } from '../settings/prepare.ts';
import { type HowToPrint, isForPeople, printResult } from '../terminal/print-result.ts';
import { plainText } from '../terminal/text.ts';
import { describeSent } from '../words/sent.ts';
import { waveToAnswer } from './approval.ts';

/** The commands that send a signal, but for `steproll rollout abort`, which does more. */
export async function rolloutSignal(kind: PersonalKind, invocation: Invocation): Promise<number> {
  const { options } = await prepare(signalSchema, invocation);
  const { 'rollout-id': rolloutId, '--wave': wave, '--reason': reason } = options;
  const { policy } = kind.command;
  const onFailure = policy && options[policy.option];
  return withHistory(options, async ({ ledger }) => {
    const signal = await sendAsked(kind, rolloutId, { wave, onFailure, reason }, ledger);
    reportSignal(rolloutId, signal, await tellSent(rolloutId, signal, ledger), options);
    return ExitCode.Done;
  });
}

/** What a person says with a signal. */
export interface Asked {
  /** 1-based. @default - the wave that waits, if the signal answers one */
  readonly wave?: number | undefined;
  /** @default - that of the rollout's policy, if the signal takes one */
  readonly onFailure?: FailurePolicy | undefined;
  readonly reason: string;
}

/**
 * Sends a signal as a person has asked for it.
 *
 * @throws `RolloutNotFound`, `RolloutClosed`, `ApprovalNotWanted`, `LedgerUnavailable`.
 */
export async function sendAsked(
  { kind, answer, command }: PersonalKind,
  rolloutId: string,
  { wave, onFailure, reason }: Asked,
  ledger: Ledger,
): Promise<Signal> {
  const record = await ledger.read(rolloutId);
  const usual = policyAfter('bad', record.request.policy?.onFailure ?? 'hold');
  const { otherwise = usual } = command.policy ?? {};
  const said = {
    kind,
    wave: answer === undefined ? null : waveToAnswer(record, wave),
    ...(command.policy && { onFailure: onFailure ?? otherwise }),
    reason,
  };
  return sendSignal(rolloutId, said, ledger);
}

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
