import { ErrorName, SteprollError } from '../domain/errors.ts';
import { LEASE_MARGIN_MS } from '../domain/lease.ts';
import { isOfOtherService } from '../domain/refuse-other-service.ts';
import type { Lease, RolloutRecord, RolloutRequest } from '../domain/rollout.ts';
import type { Signal } from '../domain/signal.ts';
import { decideConflict } from '../domain/turn/decide-conflict.ts';
import type { NewestWish } from '../domain/turn/newest-wish.ts';
import { LONGEST_QUEUE_SECONDS, queueSeconds } from '../domain/turn/queue-seconds.ts';
import { findRecord } from './find-record.ts';
import type { RecordPorts } from './step-ports.ts';
import { toWish, waitForTurn, waitingSince } from './wait-for-turn.ts';

/** The lease, or after how many seconds to ask for it again. */
export type LeaseAnswer =
  | { readonly next: 'open'; readonly lease: Lease }
  | { readonly next: 'queue'; readonly seconds: number };

type Ports = Pick<RecordPorts, 'ledger' | 'clock'>;

/**
 * Takes the runtime's lease for a rollout and records its request. Where an older rollout has the lease and
 * the policy is `latest`, it is asked to give way, once, and the new one waits.
 *
 * @throws `LeaseHeld`, `StaleTrigger`, `DowngradeRefused`, `LeaseLost`.
 */
export async function takeLease(
  request: RolloutRequest,
  newest: NewestWish | null,
  ports: Ports,
): Promise<LeaseAnswer> {
  const { ledger, clock } = ports;
  const now = clock.now();
  try {
    const lease = await ledger.open(request, now, now + LEASE_MARGIN_MS);
    // From now on an older one that still waits comes too late, however this one ends.
    await ledger.recordWish({ ...toWish(request), since: now, wakesAt: null }, now);
    return { next: 'open', lease };
  } catch (error) {
    const holder = holderIn(error);
    const mayWait = holder !== request.rolloutId && request.policy.onConflict === 'latest';
    if (holder === undefined || !mayWait) throw error;
    const active = await findRecord(holder, ledger);
    // Nothing gives way to a rollout of another service.
    if (active !== null && isOfOtherService(active.request, request)) throw error;
    const waitedSeconds = (now - waitingSince(request, newest, now)) / 1000;
    if (waitedSeconds > LONGEST_QUEUE_SECONDS) throw error;
    // Its request may not be recorded yet, or it has ended meanwhile.
    if (active !== null && active.outcome === null) await reckonWith(active, request, error, ports);
    return waitForTurn(request, newest, queueSeconds(waitedSeconds), ports);
  }
}

function holderIn(error: unknown): string | undefined {
  return error instanceof SteprollError && error.name === ErrorName.LeaseHeld
    ? error.holder
    : undefined;
}

/** Asks the one that is under way to give way, where it is to. @throws where this one may not wait for it. */
async function reckonWith(
  active: RolloutRecord,
  request: RolloutRequest,
  cause: unknown,
  ports: Ports,
): Promise<void> {
  const conflict = decideConflict(request, active);
  if (conflict.decision === 'refuse') {
    throw new SteprollError(conflict.error, conflict.message, { cause });
  }
  const isAsked = active.signals.some(({ kind }) => kind === 'give-way');
  if (conflict.asks && !isAsked) await signalGiveWay(request, active, ports);
}

async function signalGiveWay(
  { rolloutId, desiredVersion }: RolloutRequest,
  active: RolloutRecord,
  { ledger, clock }: Ports,
): Promise<void> {
  const signal: Signal = {
    kind: 'give-way',
    at: clock.now(),
    wave: null,
    by: rolloutId,
    reason: `Gave way to the newer rollout ${JSON.stringify(rolloutId)}, to version ${desiredVersion}`,
  };
  try {
    await ledger.signal(active.request.rolloutId, signal);
  } catch (error) {
    // It has ended in between, which is all that was wanted.
    if (!(error instanceof SteprollError) || error.name !== ErrorName.RolloutClosed) throw error;
  }
}
