import type { Position } from '../contract/position.ts';
import type { Decision } from '../domain/decision.ts';
import { brakeSeconds } from '../domain/judge/look-brake.ts';
import { LEASE_MARGIN_MS, SHORT_WAIT_SECONDS } from '../domain/lease.ts';
import type { Lease, RolloutRequest, WaveProgress } from '../domain/rollout.ts';
import type { StepPorts } from './step-ports.ts';
import { toPosition } from './to-position.ts';

/**
 * Hands a decision on to the workflow's next state. The lease is extended beyond a long wait before it, and
 * not further: a rollout that died frees its runtime soon after it should have spoken.
 *
 * @throws `LeaseLost`
 */
export async function handOn(
  decision: Decision,
  request: RolloutRequest,
  lease: Lease,
  at: Pick<WaveProgress, 'direction' | 'wave' | 'looks'>,
  { ledger, clock }: Pick<StepPorts, 'ledger' | 'clock'>,
): Promise<Position> {
  const wanted = toPosition(decision, request, lease, at);
  const isWait = wanted.waitSeconds > 0;
  const waitSeconds = isWait ? Math.max(wanted.waitSeconds, brakeSeconds(at.looks)) : 0;
  const position = { ...wanted, waitSeconds };
  if (position.waitSeconds > SHORT_WAIT_SECONDS) {
    await ledger.renew(lease, clock.now() + position.waitSeconds * 1000 + LEASE_MARGIN_MS);
  }
  return position;
}
