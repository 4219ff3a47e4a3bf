import type { Position } from '../contract/position.ts';
import type { Decision } from '../domain/decision.ts';
import { eventOfDecision } from '../domain/events/rollout-events.ts';
import {
  decideHandOver,
  EXECUTION_LIMITS,
  type ExecutionSoFar,
  eventsUntilNext,
} from '../domain/hand-over.ts';
import { LEASE_MARGIN_MS, SHORT_WAIT_SECONDS } from '../domain/lease.ts';
import type { WaveProgress } from '../domain/observation.ts';
import type { Lease, RolloutRecord } from '../domain/rollout.ts';
import type { RolloutPlan } from '../domain/rollout-plan.ts';
import { executionNameOf } from './execution-name.ts';
import type { RecordPorts } from './step-ports.ts';
import { tell } from './tell.ts';
import { toPosition } from './to-position.ts';

/** Where a rollout was when a decision was made. */
export interface DecidedAt {
  readonly record: Pick<RolloutRecord, 'request' | 'events' | 'unsent'>;
  /** The one that is followed now. */
  readonly plan: RolloutPlan;
  readonly progress: Pick<WaveProgress, 'direction' | 'wave'>;
  readonly lease: Lease;
  readonly execution: ExecutionSoFar;
}

/**
 * Tells what a decision means and hands it on to the workflow's next state. The lease is extended beyond a
 * long wait before it, and not further: a rollout that died frees its runtime soon after it should have spoken.
 * An execution that comes near a limit of Step Functions hands over to the next one, which goes on just there.
 *
 * @throws `LeaseLost`
 */
export async function handOn(
  decision: Decision,
  { record, plan, progress, lease, execution }: DecidedAt,
  ports: RecordPorts,
): Promise<Position> {
  const { ledger, clock } = ports;
  const { request } = record;
  const event = eventOfDecision(decision, { request, plan, wave: progress.wave }, clock.now());
  if (event !== null) await tell(event, record, lease, ports);
  const { direction, wave } = progress;
  const position = toPosition(decision, request, lease, { direction, wave, execution });
  if (position.waitSeconds > SHORT_WAIT_SECONDS) {
    await ledger.renew(lease, clock.now() + position.waitSeconds * 1000 + LEASE_MARGIN_MS);
  }
  return countOrHandOver(position, ports);
}

function countOrHandOver(
  position: Position,
  { clock, executionLimits = EXECUTION_LIMITS }: Pick<RecordPorts, 'clock' | 'executionLimits'>,
): Position {
  const { next, waitSeconds, batches, rolloutId } = position;
  const events = position.execution.events + eventsUntilNext(batches.length);
  const execution = { ...position.execution, events };
  const handedOver = decideHandOver(execution, next, waitSeconds, clock.now(), executionLimits);
  if (handedOver === null) return { ...position, execution };
  const executionName = executionNameOf(rolloutId, execution.number + 1);
  return { ...position, next: 'hand-over', handOver: { executionName, next: handedOver } };
}
