import { parseBatch, parseClose, parsePosition } from '../contract/position.ts';
import { parseExecution } from '../contract/rollout-input.ts';
import type { BatchSummary } from './batch-summary.ts';
import { checkWave } from './check-wave.ts';
import { closeOrFollow } from './close-rollout.ts';
import { openRollout } from './open-rollout.ts';
import { rollEndpoints, stopEndpoints } from './operations.ts';
import type { PolicyOf } from './request-rollout.ts';
import { rollBatch } from './roll-batch.ts';
import type { RecordPorts, StepPorts, VerifyPorts, WritePorts } from './step-ports.ts';
import { stopBatch } from './stop-batch.ts';
import { turnAround } from './turn-around.ts';
import { verifyWave } from './verify-wave.ts';
import type { WrittenEndpoint } from './write-each.ts';

/** What the steps get besides their payloads, all of them together. */
export interface StepContext extends VerifyPorts {
  readonly policyOf: PolicyOf;
}

export type StepPayload = Readonly<Record<string, unknown>>;

/**
 * The steps behind the workflow's functions: each parses the payload that the definition sends and
 * runs. The Lambda functions and the embedded engine call these same ones.
 */
export function handleOpenRollout(
  payload: StepPayload,
  context: StepPorts & { readonly policyOf: PolicyOf },
) {
  const { input, state } = payload;
  const execution = parseExecution(payload);
  return openRollout({ ...execution, input, state }, context.policyOf, context);
}

export function handleCheckWave({ position }: StepPayload, context: StepPorts) {
  return checkWave(parsePosition(position), context);
}

export function handleVerifyWave({ position }: StepPayload, context: VerifyPorts) {
  return verifyWave(parsePosition(position), context);
}

export function handleTurnAround({ position }: StepPayload, context: RecordPorts) {
  return turnAround(parsePosition(position), context);
}

/** The workflow sends a batch of a rollout; a pipeline names endpoints itself. */
export async function handleRoll(
  payload: StepPayload,
  context: WritePorts,
): Promise<BatchSummary | WrittenEndpoint[]> {
  return 'batch' in payload
    ? rollBatch(parseBatch(payload.batch), context)
    : rollEndpoints(payload, context.service);
}

/** The workflow sends a batch of a rollout; a pipeline names endpoints itself. */
export async function handleStop(
  payload: StepPayload,
  context: WritePorts,
): Promise<BatchSummary | WrittenEndpoint[]> {
  return 'batch' in payload
    ? stopBatch(parseBatch(payload.batch), context)
    : stopEndpoints(payload, context.service);
}

export function handleCloseRollout(payload: StepPayload, context: RecordPorts) {
  return closeOrFollow(parseClose(payload), context);
}
