import { type Batch, POSITION_VERSION, type Position } from '../contract/position.ts';
import type { Decision } from '../domain/decision.ts';
import { MAX_BATCHES, ROLL_BATCH_SIZE, STOP_BATCH_SIZE } from '../domain/defaults.ts';
import { toBatches } from '../domain/plan/to-batches.ts';
import { toSpans } from '../domain/plan/to-spans.ts';
import type { Lease, PlanRange, RolloutRequest } from '../domain/rollout.ts';

/** Writes a decision down as the state that the workflow carries to its next state. */
export function toPosition(
  decision: Decision,
  { policy }: RolloutRequest,
  lease: Lease,
  wave: number,
): Position {
  const position: Position = {
    schemaVersion: POSITION_VERSION,
    rolloutId: lease.rolloutId,
    runtimeId: lease.runtimeId,
    epoch: lease.epoch,
    wave,
    next: decision.next,
    onFailure: policy.onFailure,
    waitSeconds: policy.pollSeconds,
    batches: [],
    oldEndpoints: 0,
    ending: null,
  };
  const batchesOf = (ranges: readonly PlanRange[]): Batch[] =>
    ranges.map((range) => ({ schemaVersion: POSITION_VERSION, ...lease, ...range }));
  switch (decision.next) {
    case 'wait':
      return position;
    case 'bake':
      return { ...position, waitSeconds: decision.seconds };
    case 'roll': {
      const batches = batchesOf(toBatches(decision.positions, ROLL_BATCH_SIZE, MAX_BATCHES));
      return { ...position, wave: decision.wave, batches };
    }
    case 'contain': {
      const { ending, oldEndpoints } = decision;
      const batches = batchesOf(toSpans(oldEndpoints, STOP_BATCH_SIZE));
      return { ...position, batches, oldEndpoints: oldEndpoints.length, ending };
    }
    case 'close':
      return { ...position, ending: decision.ending };
    default:
      return decision satisfies never;
  }
}
