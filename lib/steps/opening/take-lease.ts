import { mayBeListedLater } from '../../domain/decision/unreadable.ts';
import { ErrorName, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { type Lease, leaseUntil } from '../../domain/rollout/lease.ts';
import {
  type AskedRollout,
  type RolloutRecord,
  type Signal,
  wasOpened,
} from '../../domain/rollout/record.ts';
import {
  describeWanted,
  isOfOtherService,
  type RolloutRequest,
} from '../../domain/rollout/request.ts';
import { waitedBy } from '../../domain/rollout/waiting.ts';
import { GIVE_WAY } from '../../domain/signals/give-way.ts';
import { decideConflict, LONGEST_QUEUE_SECONDS, queueSeconds } from '../../domain/turn/queue.ts';
import type { StepPorts } from '../frame/ports.ts';
import { findRecord } from '../frame/record.ts';
import { planOn } from './plan-on.ts';
import { readStableList } from './stable-list.ts';
import { type ReadyRollout, toLatestRequest } from './take-turn.ts';
import { waitToOpen } from './wait-to-open.ts';

/** The lease, or the seconds until the next try to get it. */
type LeaseAnswer =
  | { readonly next: 'open'; readonly lease: Lease }
  | { readonly next: 'queue'; readonly seconds: number };

type Ports = Pick<StepPorts, 'ledger' | 'clock' | 'service'>;

/**
 * Takes the runtime's lease for a rollout and records its request. When an older rollout has the lease and the policy
 * is `latest`, the older one is asked to give way, and the new one waits.
 *
 * @throws `LeaseHeld`, `StaleTrigger`, `DowngradeRefused`, `LeaseLost`, and before anybody is asked to give way also
 *   `EmptyScope`, `GateUnanswerable` and errors of the list that waiting does not mend.
 */
export async function takeLease(rollout: ReadyRollout, ports: Ports): Promise<LeaseAnswer> {
  const { request, waiting } = rollout;
  const { ledger, clock } = ports;
  const now = clock.now();
  try {
    const lease = await ledger.open(request, now, leaseUntil(now));
    // From now on an older rollout that still waits comes too late, whatever the end of this one is.
    await ledger.recordLatestRequest({ ...toLatestRequest(request), wakesAt: null }, now);
    return { next: 'open', lease };
  } catch (error) {
    const holder = holderIn(error);
    const mayWait = holder !== request.rolloutId && request.policy.onConflict === 'latest';
    if (holder === undefined || !mayWait) throw error;
    const active = await findRecord(holder, ledger);
    // A rollout does not give way to a rollout of another service.
    if (active !== null && isOfOtherService(active.request, request)) throw error;
    // The wait for a window is counted apart, and has its own limit.
    const waitedSeconds = waitedBy(waiting, now).turn;
    if (waitedSeconds >= LONGEST_QUEUE_SECONDS) throw error;
    const conflict = conflictWith(active, request, error);
    const { message, mayAsk } = conflict;
    const asked = mayAsk !== null && (await isWorthIt(request, mayAsk, ports)) ? mayAsk : null;
    const secondsLeft = LONGEST_QUEUE_SECONDS - waitedSeconds;
    const seconds = Math.ceil(Math.min(queueSeconds(waitedSeconds), secondsLeft));
    // To read the list may have taken long.
    const from = clock.now();
    const until = from + secondsLeft * 1000;
    // The waiting rollout goes into the ledger first: nobody gives way to a rollout that may be forgotten.
    const answer = await waitToOpen(rollout, { for: 'turn', message, seconds, until }, ports);
    await ledger.recordLatestRequest(
      { ...toLatestRequest(request), wakesAt: from + seconds * 1000 },
      from,
    );
    if (asked !== null) await askToGiveWay(request, asked, ports);
    return answer;
  }
}

interface Conflict {
  readonly message: string;
  /** The rollout that may be asked to give way. */
  readonly mayAsk: RolloutRecord | null;
}

/** What a rollout that is not opened does about the one that has the lease. @throws when it may not wait. */
function conflictWith(
  active: AskedRollout | null,
  request: RolloutRequest,
  cause: unknown,
): Conflict {
  // The request of the other rollout may not be recorded yet, or that rollout has ended meanwhile.
  if (active === null || active.outcome !== null || !wasOpened(active)) {
    const message = 'Another rollout of this runtime is just beginning, or has just ended.';
    return { message, mayAsk: null };
  }
  const decided = decideConflict(request, active);
  if (decided.decision === 'refuse') {
    throw new SteprollError(decided.error, decided.message, { cause });
  }
  return { message: decided.message, mayAsk: decided.asks ? active : null };
}

/**
 * Whether the older rollout is to be asked now. Nobody gives way to a rollout that would be refused as soon as it has
 * the lease, because then the runtime would stay between two versions. Without a readable list nobody can say, so the
 * next try decides.
 *
 * @throws the reason for which it would be refused.
 */
async function isWorthIt(
  request: RolloutRequest,
  active: RolloutRecord,
  ports: Ports,
): Promise<boolean> {
  if (wasAsked(active, request.rolloutId)) return false;
  try {
    const endpoints = await readStableList(ports.service, request.runtimeId);
    // The older rollout has endpoints, so an empty list is no answer.
    if (endpoints.length === 0) return false;
    await planOn(request, endpoints, ports);
    return true;
  } catch (error) {
    if (!mayBeListedLater(error)) throw error;
    return false;
  }
}

function wasAsked({ signals }: RolloutRecord, rolloutId: string): boolean {
  return signals.some(({ kind, by }) => kind === GIVE_WAY.kind && by === rolloutId);
}

function holderIn(error: unknown): string | undefined {
  return error instanceof SteprollError ? error.holder : undefined;
}

/** Each newer rollout asks once, even if another one has asked before: that one may be gone. */
async function askToGiveWay(
  request: RolloutRequest,
  active: RolloutRecord,
  { ledger, clock }: Ports,
): Promise<void> {
  const { rolloutId } = request;
  const signal: Signal = {
    kind: GIVE_WAY.kind,
    at: clock.now(),
    wave: null,
    by: rolloutId,
    reason: `Gave way to the newer rollout ${JSON.stringify(rolloutId)}, to ${describeWanted(request)}`,
  };
  try {
    await ledger.signal(active.request.rolloutId, signal);
  } catch (error) {
    // The other rollout has ended in between, which is what we wanted, or it cannot be asked, and is waited for.
    const mayWait: readonly string[] = [ErrorName.RolloutClosed, ErrorName.NotUnderstood];
    if (!mayWait.includes(errorNameOf(error))) throw error;
  }
}
