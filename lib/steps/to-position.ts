import { type Batch, POSITION_VERSION, type Position } from '../contract/position.ts';
import type { Decision } from '../domain/decision.ts';
import { MAX_BATCHES, ROLL_BATCH_SIZE, STOP_BATCH_SIZE } from '../domain/defaults.ts';
import type { Direction } from '../domain/direction.ts';
import type { ExecutionSoFar } from '../domain/hand-over.ts';
import { toBatches } from '../domain/plan/to-batches.ts';
import { toSpans } from '../domain/plan/to-spans.ts';
import type { AskedRequest, Lease } from '../domain/rollout.ts';
import type { PlanRange } from '../domain/rollout-plan.ts';

interface Place {
  readonly direction: Direction;
  readonly wave: number;
  readonly execution: ExecutionSoFar;
}

/** Writes a decision down as the state that the workflow carries to its next state. */
export function toPosition(
  decision: Decision,
  { policy }: Pick<AskedRequest, 'policy'>,
  lease: Lease,
  { direction, wave, execution }: Place,
): Position {
  const position: Position = {
    schemaVersion: POSITION_VERSION,
    rolloutId: lease.rolloutId,
    runtimeId: lease.runtimeId,
    epoch: lease.epoch,
    direction,
    wave,
    next: decision.next,
    // Before its policy is known nothing was rolled.
    onFailure: policy?.onFailure ?? 'hold',
    waitSeconds: 0,
    batches: [],
    oldEndpoints: 0,
    ending: null,
    execution,
    handOver: null,
  };
  const batchesOf = (ranges: readonly PlanRange[]): Batch[] =>
    ranges.map((range) => ({ schemaVersion: POSITION_VERSION, ...lease, direction, ...range }));
  switch (decision.next) {
    case 'queue':
    case 'wait':
    case 'bake':
      return { ...position, waitSeconds: decision.seconds };
    case 'roll': {
      const batches = batchesOf(toBatches(decision.positions, ROLL_BATCH_SIZE, MAX_BATCHES));
      return { ...position, wave: decision.wave, waitSeconds: decision.seconds, batches };
    }
    case 'contain': {
      const { ending, onFailure, oldEndpoints } = decision;
      const batches = batchesOf(toSpans(oldEndpoints, STOP_BATCH_SIZE));
      return { ...position, onFailure, batches, oldEndpoints: oldEndpoints.length, ending };
    }
    case 'close':
      return { ...position, ending: decision.ending };
    default:
      return decision satisfies never;
  }
}
