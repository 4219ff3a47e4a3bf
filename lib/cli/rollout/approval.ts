import * as z from 'zod';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { FAILURE_POLICIES, policyAfter } from '../../domain/rollout/policy.ts';
import { type AskedRollout, type RolloutRecord, wasOpened } from '../../domain/rollout/record.ts';
import { waveAwaitingApproval } from '../../domain/story/phase.ts';
import { withHistory } from '../engine/open-engine.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { wholeNumber } from '../options/fields.ts';
import { signalShape } from '../options/rollout-options.ts';
import { prepare } from '../settings/prepare.ts';
import { reportSignal, sendSignal, tellSent } from './signal.ts';

/**
 * The 0-based wave that an approval or a rejection is for.
 *
 * @param said The wave that the person named, 1-based. @default - the wave that waits
 * @throws `RolloutClosed`, `ApprovalNotWanted` when no wave waits, or another one.
 */
export function waveToAnswer(record: AskedRollout, said: number | undefined): number {
  const { request, outcome } = record;
  const name = `Rollout ${JSON.stringify(request.rolloutId)}`;
  if (outcome !== null) {
    throw new SteprollError(
      ErrorName.RolloutClosed,
      `${name} has ended already, as ${outcome.outcome}: ${outcome.message}`,
    );
  }
  const waiting = wasOpened(record) ? waveAwaitingApproval(record) : null;
  if (waiting === null) {
    throw new SteprollError(
      ErrorName.ApprovalNotWanted,
      `${name} waits for no approval${wasOpened(record) ? whyNot(record) : ' yet: it has not begun'}.`,
    );
  }
  if (said !== undefined && said !== waiting + 1) {
    throw new SteprollError(
      ErrorName.ApprovalNotWanted,
      `${name} waits for an answer to wave ${waiting + 1}, not to wave ${said}.`,
    );
  }
  return waiting;
}

function whyNot({ request, progress, plan, rollback }: RolloutRecord): string {
  if (request.policy.verify.approval === null) return ': its policy asks for none';
  if (rollback !== null) return ': it is on its way back';
  if (progress === null || plan === null) return ' yet: it has no plan';
  return ` now: it is in wave ${progress.wave + 1} of ${plan.waves.length}, and asks after the bake of a wave that another one follows`;
}

const approvalSchema = z.strictObject({ ...signalShape, '--wave': wholeNumber.optional() });

/** `steproll rollout approve`: lets the rollout go on after the wave that waits. */
export async function rolloutApprove(invocation: Invocation): Promise<number> {
  const { options } = await prepare(approvalSchema, invocation);
  const { 'rollout-id': rolloutId, '--wave': said, '--reason': reason } = options;
  return withHistory(options, async ({ ledger }) => {
    const wave = waveToAnswer(await ledger.read(rolloutId), said);
    const signal = await sendSignal(rolloutId, { kind: 'approve', wave, reason }, ledger);
    reportSignal(rolloutId, signal, await tellSent(rolloutId, signal, ledger), options);
    return ExitCode.Done;
  });
}

const rejectionSchema = z.strictObject({
  ...signalShape,
  '--wave': wholeNumber.optional(),
  '--on-failure': z.enum(FAILURE_POLICIES).optional(),
});

/** `steproll rollout reject`: fails a rollout at the wave that waits. */
export async function rolloutReject(invocation: Invocation): Promise<number> {
  const { options } = await prepare(rejectionSchema, invocation);
  const { 'rollout-id': rolloutId, '--wave': said, '--reason': reason } = options;
  return withHistory(options, async ({ ledger }) => {
    const record = await ledger.read(rolloutId);
    const wave = waveToAnswer(record, said);
    const usual = policyAfter('bad', record.request.policy?.onFailure ?? 'hold');
    const { '--on-failure': onFailure = usual } = options;
    const signal = await sendSignal(rolloutId, { kind: 'reject', wave, onFailure, reason }, ledger);
    reportSignal(rolloutId, signal, await tellSent(rolloutId, signal, ledger), options);
    return ExitCode.Done;
  });
}
