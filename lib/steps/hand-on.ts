import type { Position } from '../contract/position.ts';
import type { Decision } from '../domain/decision.ts';
import { eventOfDecision } from '../domain/events/rollout-events.ts';
import { LEASE_MARGIN_MS, SHORT_WAIT_SECONDS } from '../domain/lease.ts';
import type { WaveProgress } from '../domain/observation.ts';
import type { Lease, RolloutRecord } from '../domain/rollout.ts';
import type { RolloutPlan } from '../domain/rollout-plan.ts';
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
}

/**
 * Tells what a decision means and hands it on to the workflow's next state. The lease is extended beyond a
 * long wait before it, and not further: a rollout that died frees its runtime soon after it should have spoken.
 *
 * @throws `LeaseLost`
 */
export async function handOn(
  decision: Decision,
  { record, plan, progress, lease }: DecidedAt,
  ports: RecordPorts,
): Promise<Position> {
  const { ledger, clock } = ports;
  const { request } = record;
  const event = eventOfDecision(decision, { request, plan, wave: progress.wave }, clock.now());
  if (event !== null) await tell(event, record, lease, ports);
  const position = toPosition(decision, request, lease, progress);
  if (position.waitSeconds > SHORT_WAIT_SECONDS) {
    await ledger.renew(lease, clock.now() + position.waitSeconds * 1000 + LEASE_MARGIN_MS);
  }
  return position;
}
