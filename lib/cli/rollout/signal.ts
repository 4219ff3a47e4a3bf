import { systemClock } from '../../adapters/machine/clock.ts';
import { toTimeOrNull } from '../../contract/event.ts';
import { invalidInput } from '../../contract/input/parse-input.ts';
import type { Instant } from '../../domain/clock.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { mayContain } from '../../domain/rollout/group.ts';
import { countsPeople, type FailurePolicy, policyAfter } from '../../domain/rollout/policy.ts';
import type { Signal } from '../../domain/rollout/record.ts';
import { approvalsNeeded, listApprovals } from '../../domain/signals/approval.ts';
import type { SignalRequest } from '../../domain/signals/signal-kind.ts';
import type { PersonalKind } from '../../domain/signals/signals.ts';
import { heardBy } from '../../telling/story/quiet.ts';
import { plainText } from '../../telling/text.ts';
import { toSignal } from '../../telling/view/watch-lines.ts';
import { describeHeardBy, describeSent } from '../../telling/words/sent.ts';
import type { Engine } from '../engine/engine.ts';
import { keyHere, ownerHere } from '../engine/who-is-here.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { signalSchema } from '../options/rollout-options.ts';
import { prepare } from '../settings/prepare.ts';
import { type HowToPrint, printTold } from '../terminal/print-result.ts';
import { A_GROUP_MAY } from './group.ts';
import { withRollout } from './named-rollout.ts';
import { waveToAnswer, waveToPromote } from './named-wave.ts';

/** The commands that send a signal, but for `steproll rollout abort`, which does more. */
export async function rolloutSignal(kind: PersonalKind, invocation: Invocation): Promise<number> {
  const { options } = await prepare(signalSchema, invocation);
  const { '--wave': wave, '--reason': reason } = options;
  const isFull = options['--full'];
  const { policy } = kind.command;
  const onFailure = policy && options[policy.option];
  return withRollout(options, async (engine, rolloutId) => {
    const asked = { wave, isFull, onFailure, reason };
    const signal = await sendAsked(kind, rolloutId, asked, engine);
    await reportSignal(rolloutId, signal, engine, options);
    return ExitCode.Done;
  });
}

/** What a signal is sent through, under the name of whoever sends it. */
type Sending = Pick<Engine, 'ledger' | 'caller'>;

/** A group cannot stop its runtimes, whoever asks for it. @throws `InvalidInput` */
export function refuseBeyondGroup(runtimeId: string, option: string, policy: FailurePolicy): void {
  if (mayContain(runtimeId, policy)) return;
  throw invalidInput('arguments', [
    `${option}: ${JSON.stringify(policy)} is not allowed; ${A_GROUP_MAY}: say it to the rollout of one of them`,
  ]);
}

/**
 * Sends a signal as a person has asked for it.
 *
 * @throws `RolloutNotFound`, `RolloutClosed`, `ApprovalNotWanted`, `NothingBakes`, `InvalidInput`, `LedgerUnavailable`.
 */
export async function sendAsked(
  { kind, answer, endsBake, command }: PersonalKind,
  rolloutId: string,
  { wave, isFull = false, onFailure, reason }: SignalRequest,
  engine: Sending,
): Promise<Signal> {
  const record = await engine.ledger.read(rolloutId);
  const usual = policyAfter('bad', record.request.policy?.onFailure ?? 'hold');
  const { otherwise = usual } = command.policy ?? {};
  const policy = onFailure ?? otherwise;
  if (command.policy !== undefined) {
    refuseBeyondGroup(record.request.runtimeId, command.policy.option, policy);
  }
  const nameWave = () => {
    if (endsBake) return waveToPromote(record, wave, isFull);
    return answer === undefined ? null : waveToAnswer(record, wave);
  };
  const said = {
    kind,
    wave: nameWave(),
    ...(isFull && { isFull: true as const }),
    ...(command.policy && { onFailure: policy }),
    reason,
  };
  if (answer === undefined) return sendSignal(rolloutId, said, engine);
  const approval = record.request.policy?.verify.approval ?? null;
  if (answer === 'pass' && !engine.caller && countsPeople(approval)) throw unproven(rolloutId);
  const key = await keyHere(engine);
  return sendSignal(rolloutId, { ...said, ...(key !== undefined && { key }) }, engine);
}

/** The name of a user of one machine proves nobody. A no may be anybody's. */
function unproven(rolloutId: string): SteprollError {
  return new SteprollError(
    ErrorName.InvalidInput,
    `The policy of rollout ${JSON.stringify(rolloutId)} counts people, and here nothing proves who you are. Approve with the token that "approvers" of the configuration gives you, at the address of steproll listen.`,
  );
}

/** Sends a person's signal. @throws `RolloutNotFound`, `RolloutClosed`, `NotUnderstood`, `LedgerUnavailable`. */
export async function sendSignal(
  rolloutId: string,
  said: Omit<Signal, 'at' | 'by'>,
  engine: Sending,
): Promise<Signal> {
  const signal = { ...said, at: systemClock.now(), by: await ownerHere(engine) };
  await engine.ledger.signal(rolloutId, signal);
  return signal;
}

/**
 * What follows from a signal that was sent just now, after what others have said meanwhile, and by when the rollout has
 * heard it. `null`: nobody listens, or nobody knows.
 */
export async function tellSent(
  rolloutId: string,
  signal: Signal,
  { ledger, listens, isAbandoned }: Pick<Engine, 'ledger' | 'listens' | 'isAbandoned'>,
): Promise<{ readonly sentence: string; readonly heardBy: Instant | null }> {
  // The signal was accepted, even if nothing can be read now.
  const record = await ledger.read(rolloutId).catch(() => null);
  const missing =
    record === null
      ? 0
      : approvalsNeeded(record.request) - listApprovals(record, signal.wave ?? 0).length;
  const { signals, plan } = record ?? { signals: [signal], plan: null };
  const sentence = describeSent(signal, signals, plan, missing);
  if (record === null) return { sentence, heardBy: null };
  const isDead = await isAbandoned(rolloutId).catch(() => false);
  const by = heardBy(record, signal.at, { listens, isAbandoned: isDead });
  return { sentence: by === null ? sentence : `${sentence} ${describeHeardBy(by)}`, heardBy: by };
}

export async function reportSignal(
  rolloutId: string,
  signal: Signal,
  engine: Engine,
  how: HowToPrint,
): Promise<void> {
  const { sentence, heardBy } = await tellSent(rolloutId, signal, engine);
  const result = { rolloutId, ...toSignal(signal), heardBy: toTimeOrNull(heardBy) };
  printTold(result, [plainText(sentence)], how);
}
