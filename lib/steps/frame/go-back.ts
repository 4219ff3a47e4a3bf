import { legOf } from '../../domain/endpoint/leg.ts';
import type { Hold } from '../../domain/holds/hold.ts';
import { whatSendsBack } from '../../domain/holds/what-holds.ts';
import type { Lease } from '../../domain/rollout/lease.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutRecord, Signal } from '../../domain/rollout/record.ts';
import { ABORT, findAbort } from '../../domain/signals/abort.ts';
import type { RecordPorts } from './ports.ts';

/**
 * Follows a quarantine that sends back what is under way: that is an abort with `roll-back`, from its owner. It is
 * accepted like one that is sent, so it is followed also if this step dies now or the hold is lifted. A rollout that fails
 * already, or that a person has aborted, stays with that.
 */
export async function heedGoBack(
  { rolloutId }: Lease,
  { request, events, signals }: Pick<RolloutRecord, 'request' | 'events' | 'signals'>,
  plan: RolloutPlan,
  holds: readonly Hold[],
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
): Promise<readonly Signal[]> {
  const [hold] = legOf(plan).heedsHolds ? whatSendsBack(request, holds, clock.now()) : [];
  const isEnding =
    findAbort(signals) !== undefined || events.some(({ kind }) => kind === 'failing');
  if (hold === undefined || isEnding) return [];
  const { by, reason, at } = hold;
  const abort = { kind: ABORT.kind, at, wave: null, onFailure: 'roll-back', by, reason } as const;
  await ledger.signal(rolloutId, abort);
  return [abort];
}
