import { mayBeListedLater } from '../../domain/decision/unreadable.ts';
import { endOvertaken } from '../../domain/ending/asked-to-end.ts';
import { ErrorName, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { isLeaseOver, leaseUntil } from '../../domain/rollout/lease.ts';
import { type RolloutRecord, type Signal, wasOpened } from '../../domain/rollout/record.ts';
import {
  describeWanted,
  isOfOtherService,
  type RolloutRequest,
} from '../../domain/rollout/request.ts';
import { waitedBy } from '../../domain/rollout/waiting.ts';
import { GIVE_WAY } from '../../domain/signals/give-way.ts';
import { decideConflict, LONGEST_QUEUE_SECONDS, queueSeconds } from '../../domain/turn/queue.ts';
import { findRecord } from '../frame/record.ts';
import {
  type Answer,
  type Condition,
  GO,
  type OpeningPorts,
  type Previewed,
  type PreviewPorts,
  type Ready,
  refusal,
  waitPatiently,
} from './condition.ts';
import { readStableList } from './list.ts';
import { toLatestRequest } from './newest.ts';
import { planOn } from './plan.ts';

/**
 * It has the lease of its runtime. When an older rollout has it, and the policy is `latest`, that one is asked to give
 * way. Before that, a plan is drawn that may be refused.
 */
export const leaseTaken: Condition<Ready> = {
  async ask(rollout, ports) {
    const { request } = rollout;
    const now = ports.clock.now();
    try {
      const lease = await ports.ledger.open(request, now, leaseUntil(now));
      // From now on an older rollout that still waits comes too late, whatever the end of this one is.
      const latest = toLatestRequest(request, null);
      const effect = () => ports.ledger.recordLatestRequest(latest, now);
      return { decision: 'go', learnt: { lease }, effect };
    } catch (error) {
      if (!(error instanceof SteprollError) || error.holder === undefined) throw error;
      return waitForHolder(rollout, error.holder, error, now, ports);
    }
  },
  foresee: foreseeLease,
};

type Ports = Pick<OpeningPorts, 'ledger' | 'clock' | 'service' | 'gates'>;

async function waitForHolder(
  { request, waiting }: Ready,
  holder: string,
  error: SteprollError,
  now: number,
  ports: Ports,
): Promise<Answer> {
  const refused: Answer = { decision: 'refuse', error };
  if (holder === request.rolloutId || request.policy.onConflict !== 'latest') return refused;
  const active = await findRecord(holder, ports.ledger);
  // A rollout does not give way to a rollout of another service.
  if (active !== null && isOfOtherService(active.request, request)) return refused;
  // The wait for a window is counted apart, and has its own limit.
  const waitedSeconds = waitedBy(waiting, now).turn;
  const secondsLeft = LONGEST_QUEUE_SECONDS - waitedSeconds;
  if (secondsLeft <= 0) return refused;
  const wait = (message: string) => {
    const seconds = queueSeconds(waitedSeconds);
    return waitPatiently('turn', { seconds, secondsLeft, message }, ports.clock.now());
  };
  // The request of the other rollout may not be recorded yet, or that rollout has ended meanwhile.
  if (active === null || active.outcome !== null || !wasOpened(active)) {
    return wait('Another rollout of this runtime is just beginning, or has just ended.');
  }
  const decided = decideConflict(request, active);
  if (decided.decision === 'refuse') return refusal(decided.error, decided.message, error);
  if (decided.decision === 'overtaken') {
    return { decision: 'end', ending: endOvertaken(active.request) };
  }
  const isAsked = decided.asks && (await isWorthIt(request, active, ports));
  const effect = isAsked ? { effect: () => askToGiveWay(request, active, ports) } : {};
  return { ...wait(decided.message), ...effect };
}

/** Only looks who has the lease. One whose process is dead, or that let it run out, is ended by the next one. */
async function foreseeLease(
  { request: { runtimeId, policy } }: Previewed,
  { ledger, clock, isAbandoned }: PreviewPorts,
): Promise<Answer> {
  const held = (await ledger.listHeld()).find((lease) => lease.runtimeId === runtimeId);
  if (held === undefined || isLeaseOver(held.leaseUntil, clock.now())) return GO;
  if (await isAbandoned(held.rolloutId)) return GO;
  const rollout = `Rollout ${held.rolloutId} of this runtime is under way`;
  if (policy.onConflict !== 'latest') {
    const message = `${rollout}, and the policy lets none wait for it.`;
    return refusal(ErrorName.LeaseHeld, message);
  }
  const message = `${rollout}: a start waits until that one has given way or ended.`;
  return { decision: 'wait', for: 'turn', message, seconds: queueSeconds(0), until: null };
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
  const isOwn = ({ kind, by }: Signal) => kind === GIVE_WAY.kind && by === request.rolloutId;
  if (active.signals.some(isOwn)) return false;
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
