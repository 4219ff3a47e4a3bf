import { parseBatch, parseClose, parsePosition } from '../contract/position.ts';
import { parseRolloutId } from '../contract/rollout-input.ts';
import type { BatchSummary } from './batch-summary.ts';
import { checkWave } from './check-wave.ts';
import { closeRollout } from './close-rollout.ts';
import { openRollout } from './open-rollout.ts';
import { rollEndpoints, stopEndpoints } from './operations.ts';
import type { PolicyOf } from './request-rollout.ts';
import { rollBatch } from './roll-batch.ts';
import type { StepPorts } from './step-ports.ts';
import { stopBatch } from './stop-batch.ts';
import { turnAround } from './turn-around.ts';
import { verifyWave } from './verify-wave.ts';
import type { WrittenEndpoint } from './write-each.ts';

/** What a step gets besides its payload. */
export interface StepContext extends StepPorts {
  readonly policyOf: PolicyOf;
}

export type StepPayload = Readonly<Record<string, unknown>>;

/**
 * The steps behind the workflow's functions: each parses the payload that the definition sends and
 * runs. The Lambda functions and the embedded engine call these same ones.
 */
export function handleOpenRollout({ rolloutId, input }: StepPayload, context: StepContext) {
  return openRollout({ rolloutId: parseRolloutId(rolloutId), input }, context.policyOf, context);
}

export function handleCheckWave({ position }: StepPayload, context: StepContext) {
  return checkWave(parsePosition(position), context);
}

export function handleVerifyWave({ position }: StepPayload, context: StepContext) {
  return verifyWave(parsePosition(position), context);
}

export function handleTurnAround({ position }: StepPayload, context: StepContext) {
  return turnAround(parsePosition(position), context);
}

/** The workflow sends a batch of a rollout; a pipeline names endpoints itself. */
export async function handleRoll(
  payload: StepPayload,
  context: StepContext,
): Promise<BatchSummary | WrittenEndpoint[]> {
  return 'batch' in payload
    ? rollBatch(parseBatch(payload.batch), context)
    : rollEndpoints(payload, context.service);
}

/** The workflow sends a batch of a rollout; a pipeline names endpoints itself. */
export async function handleStop(
  payload: StepPayload,
  context: StepContext,
): Promise<BatchSummary | WrittenEndpoint[]> {
  return 'batch' in payload
    ? stopBatch(parseBatch(payload.batch), context)
    : stopEndpoints(payload, context.service);
}

export function handleCloseRollout(payload: StepPayload, context: StepContext) {
  return closeRollout(parseClose(payload), context);
}
