import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { type Lease, leaseUntil } from '../../domain/rollout/lease.ts';
import {
  type AskedRollout,
  type RolloutRecord,
  type Signal,
  wasOpened,
} from '../../domain/rollout/record.ts';
import { isOfOtherService, type RolloutRequest } from '../../domain/rollout/request.ts';
import { waitedBy } from '../../domain/rollout/waiting.ts';
import { decideConflict, LONGEST_QUEUE_SECONDS, queueSeconds } from '../../domain/turn/queue.ts';
import type { RecordPorts } from '../frame/ports.ts';
import { findRecord } from '../frame/record.ts';
import { type ReadyRollout, toLatestRequest } from './turn.ts';
import { waitToOpen } from './wait.ts';

/** The lease, or after how many seconds to ask for it again. */
type LeaseAnswer =
  | { readonly next: 'open'; readonly lease: Lease }
  | { readonly next: 'queue'; readonly seconds: number };

type Ports = Pick<RecordPorts, 'ledger' | 'clock'>;

/**
 * Takes the runtime's lease for a rollout and records its request. Where an older rollout has the lease and
 * the policy is `latest`, it is asked to give way, and the new one waits.
 *
 * @throws `LeaseHeld`, `StaleTrigger`, `DowngradeRefused`, `LeaseLost`.
 */
export async function takeLease(rollout: ReadyRollout, ports: Ports): Promise<LeaseAnswer> {
  const { request, waiting } = rollout;
  const { ledger, clock } = ports;
  const now = clock.now();
  try {
    const lease = await ledger.open(request, now, leaseUntil(now));
    // From now on an older one that still waits comes too late, however this one ends.
    await ledger.recordLatestRequest({ ...toLatestRequest(request), wakesAt: null }, now);
    return { next: 'open', lease };
  } catch (error) {
    const holder = holderIn(error);
    const mayWait = holder !== request.rolloutId && request.policy.onConflict === 'latest';
    if (holder === undefined || !mayWait) throw error;
    const active = await findRecord(holder, ledger);
    // Nothing gives way to a rollout of another service.
    if (active !== null && isOfOtherService(active.request, request)) throw error;
    // The wait for a window is another one, and has its own limit.
    const waitedSeconds = waitedBy(waiting, now).turn;
    if (waitedSeconds >= LONGEST_QUEUE_SECONDS) throw error;
    const conflict = conflictWith(active, request, error);
    const seconds = queueSeconds(waitedSeconds);
    const until = now + (LONGEST_QUEUE_SECONDS - waitedSeconds) * 1000;
    const { message } = conflict;
    // First of all this one is in the ledger as one that waits: nothing gives way to what may be forgotten.
    const answer = await waitToOpen(rollout, { for: 'turn', message, seconds, until }, ports);
    await ledger.recordLatestRequest(
      { ...toLatestRequest(request), wakesAt: now + seconds * 1000 },
      now,
    );
    if (conflict.asks !== null) await askToGiveWay(request, conflict.asks, ports);
    return answer;
  }
}

interface Conflict {
  readonly message: string;
  /** The one that is asked to give way. */
  readonly asks: RolloutRecord | null;
}

/** What an unopened rollout makes of the one that has the lease. @throws where it may not wait for it. */
function conflictWith(
  active: AskedRollout | null,
  request: RolloutRequest,
  cause: unknown,
): Conflict {
  // Its request may not be recorded yet, or it has ended meanwhile.
  if (active === null || active.outcome !== null || !wasOpened(active)) {
    const message = 'Another rollout of this runtime is just beginning, or has just ended.';
    return { message, asks: null };
  }
  const decided = decideConflict(request, active);
  if (decided.decision === 'refuse') {
    throw new SteprollError(decided.error, decided.message, { cause });
  }
  return { message: decided.message, asks: decided.asks ? active : null };
}

function holderIn(error: unknown): string | undefined {
  return error instanceof SteprollError && error.name === ErrorName.LeaseHeld
    ? error.holder
    : undefined;
}

/** Once: whoever asked before may have gone since. */
async function askToGiveWay(
  { rolloutId, desiredVersion }: RolloutRequest,
  active: RolloutRecord,
  { ledger, clock }: Ports,
): Promise<void> {
  if (active.signals.some(({ kind, by }) => kind === 'give-way' && by === rolloutId)) return;
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
