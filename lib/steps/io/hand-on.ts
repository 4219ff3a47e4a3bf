import { type Batch, POSITION_VERSION, type Position } from '../../contract/flow/position.ts';
import type { Decision } from '../../domain/decision/decision.ts';
import {
  decideHandOver,
  EXECUTION_LIMITS,
  type ExecutionSoFar,
  eventsUntilNext,
} from '../../domain/decision/hand-over.ts';
import { sayDecision } from '../../domain/decision/says.ts';
import type { Direction } from '../../domain/endpoint/journal.ts';
import { eventAfter } from '../../domain/events/events.ts';
import {
  MAX_BATCHES,
  rollBatchSizeOf,
  stopBatchSizeOf,
  toBatches,
  toSpans,
} from '../../domain/planning/batches.ts';
import { type Lease, leaseUntil, SHORT_WAIT_SECONDS } from '../../domain/rollout/lease.ts';
import type { PlanRange, RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../../domain/rollout/record.ts';
import { wordOf } from '../../domain/rollout/wait.ts';
import { countAborts } from '../../domain/signals/abort.ts';
import { executionNameOf } from './names.ts';
import type { RecordPorts } from './ports.ts';
import { publishEvent } from './publish.ts';

export interface DecidedAt {
  readonly record: Pick<RolloutRecord, 'request' | 'journal' | 'events' | 'unsent' | 'signals'>;
  readonly plan: RolloutPlan;
  readonly progress: Pick<
    WaveProgress,
    'direction' | 'wave' | 'looks' | 'gates' | 'bakedMs' | 'observations'
  >;
  readonly lease: Lease;
  readonly execution: ExecutionSoFar;
}

/**
 * Publishes the event of a decision and hands the decision to the workflow's next state. Before a long wait, the lease
 * is extended to a little after the end of the wait. So when a rollout dies, its runtime is free soon after the next
 * step was due. An execution that comes near a limit of Step Functions hands over to the next one, which goes on from
 * the same position.
 *
 * @throws `LeaseLost`
 */
export async function handOn(
  decision: Decision,
  { record, plan, progress, lease, execution }: DecidedAt,
  ports: RecordPorts,
): Promise<Position> {
  const { ledger, clock } = ports;
  const { direction, wave, looks } = progress;
  const event = eventAfter(decision, record, plan, progress, clock.now());
  if (event !== null) await publishEvent(event, record, lease, ports);
  const aborts = countAborts(record.signals);
  const position = positionAfter(decision, lease, {
    direction,
    wave,
    looks,
    execution,
    aborts,
    planned: plan.endpoints.length,
    says: sayDecision(decision, { plan, progress }),
  });
  if (position.waitSeconds > SHORT_WAIT_SECONDS) {
    await ledger.renew(lease, leaseUntil(clock.now(), position.waitSeconds), true);
  }
  return countOrHandOver(position, ports);
}

/** @param input What the rollout was asked for, as long as it is not opened. @default - it was opened */
export function countOrHandOver(
  position: Position,
  { clock, executionLimits = EXECUTION_LIMITS }: Pick<RecordPorts, 'clock' | 'executionLimits'>,
  input?: unknown,
): Position {
  const { next, waitSeconds, batches, rolloutId } = position;
  const events = position.execution.events + eventsUntilNext(batches.length);
  const execution = { ...position.execution, events };
  const handedOver = decideHandOver(execution, next, waitSeconds, clock.now(), executionLimits);
  if (handedOver === null) return { ...position, execution };
  const executionName = executionNameOf(rolloutId, execution.number + 1);
  const handOver = { executionName, next: handedOver, ...(input !== undefined && { input }) };
  return { ...position, next: 'hand-over', handOver };
}

interface Place {
  readonly direction: Direction;
  readonly wave: number;
  readonly execution: ExecutionSoFar;
  /** How often the list had been looked at. @default 0 */
  readonly looks?: number;
  /** How many aborts had been accepted when it was decided. @default 0 */
  readonly aborts?: number;
  /** How many endpoints the plan has. @default 0 */
  readonly planned?: number;
  readonly says: string;
}

export function positionAfter(
  decision: Decision,
  lease: Lease,
  { direction, wave, looks = 0, execution, aborts = 0, planned = 0, says }: Place,
): Position {
  const position: Omit<Position, 'next'> = {
    schemaVersion: POSITION_VERSION,
    rolloutId: lease.rolloutId,
    runtimeId: lease.runtimeId,
    epoch: lease.epoch,
    direction,
    wave,
    says,
    waitSeconds: 0,
    looks,
    batches: [],
    oldEndpoints: 0,
    ending: null,
    execution,
    handOver: null,
  };
  const batchesOf = (ranges: readonly PlanRange[]): Batch[] =>
    ranges.map((range) => ({ schemaVersion: POSITION_VERSION, ...lease, direction, ...range }));
  switch (decision.next) {
    case 'wait':
      return { ...position, next: wordOf(decision), waitSeconds: decision.seconds };
    case 'roll': {
      const { wave, wait, indexes } = decision;
      const batches = batchesOf(toBatches(indexes, rollBatchSizeOf(planned), MAX_BATCHES));
      return { ...position, next: decision.next, wave, waitSeconds: wait.seconds, batches };
    }
    case 'contain': {
      const { ending, onFailure, oldEndpoints } = decision;
      const batches = batchesOf(toSpans(oldEndpoints, stopBatchSizeOf(oldEndpoints.length)));
      const { next } = decision;
      return {
        ...position,
        next,
        onFailure,
        aborts,
        batches,
        oldEndpoints: oldEndpoints.length,
        ending,
      };
    }
    case 'close':
      return { ...position, next: decision.next, ending: decision.ending };
    default:
      return decision satisfies never;
  }
}
