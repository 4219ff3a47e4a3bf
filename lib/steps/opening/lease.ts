import { startClock } from '../../domain/clock.ts';
import { startWave } from '../../domain/decision/next-rolls.ts';
import { endOvertaken } from '../../domain/ending/asked-to-end.ts';
import { describeNothingToDo } from '../../domain/ending/success.ts';
import { ErrorName, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { usualRollMsOf } from '../../domain/planning/estimate.ts';
import { isLeaseOver, type Lease, leaseUntil } from '../../domain/rollout/lease.ts';
import { waitedBy } from '../../domain/rollout/opening.ts';
import { isOfOtherService } from '../../domain/rollout/other-service.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import {
  type RolloutRecord,
  type Signal,
  type WaveProgress,
  wasOpened,
} from '../../domain/rollout/record.ts';
import { describeWanted, type RolloutRequest } from '../../domain/rollout/request.ts';
import { waitFrom } from '../../domain/rollout/wait.ts';
import { GIVE_WAY } from '../../domain/signals/give-way.ts';
import { decideConflict, LONGEST_QUEUE_SECONDS, queueSeconds } from '../../domain/turn/queue.ts';
import { beginWave } from '../../domain/wave/progress.ts';
import type { FreeRuntime } from '../../ports/ledger.ts';
import { findRecord } from '../io/record.ts';
import {
  type Answer,
  type Condition,
  GO,
  type Hindrance,
  type Holder,
  hindrance,
  type OpeningPorts,
  type Previewed,
  type PreviewPorts,
  type Ready,
  refusal,
  waitPatiently,
} from './condition.ts';
import { readPastRolls } from './past-rolls.ts';

/**
 * No rollout has the lease of the runtime, or an older one that can be asked to give way. That one goes on until everything
 * that may refuse this one was asked.
 */
export const runtimeFree: Condition<Ready, Found> = {
  async ask(rollout, ports) {
    const { request } = rollout;
    try {
      return {
        decision: 'go',
        learnt: { free: await ports.ledger.mayOpen(request, ports.clock.now()) },
      };
    } catch (error) {
      const met = await whileHeld(rollout, error, ports);
      return 'active' in met ? { decision: 'go', learnt: { holder: met } } : met;
    }
  },
  foresee: foreseeLease,
};

export interface Found {
  readonly free?: FreeRuntime;
  readonly holder?: Holder;
}

interface Planned extends Ready, Found {
  readonly plan: RolloutPlan;
  readonly redAtStart?: readonly string[];
  readonly answered?: Pick<WaveProgress, 'gates' | 'gateCourses' | 'watched' | 'news'>;
}

/** It has the lease of its runtime, and has begun. An older rollout that has the lease is asked to give way. */
export const leaseTaken: Condition<Planned, { readonly lease: Lease }> = {
  async ask(rollout, ports) {
    const { request, plan, free, holder, redAtStart = [], answered } = rollout;
    const { ledger, clock } = ports;
    const rollsNothing = plan.waves.length === 0;
    const waitFor = ({ active, wait }: Holder): Hindrance =>
      rollsNothing ? wait : { ...wait, effect: () => askToGiveWay(request, active, ports) };
    if (holder !== undefined) return waitFor(holder);
    // Somebody may still want to go on with the dead one.
    if (rollsNothing && free?.dead != null) {
      return { decision: 'end', ending: describeNothingToDo(request, plan) };
    }
    const now = clock.now();
    const progress = rollsNothing
      ? null
      : {
          ...beginWave(plan, 0, startClock(now)),
          ...(await usualRollOf(request, ledger)),
          ...(redAtStart.length > 0 && { redAtStart }),
          ...answered,
        };
    const first = progress && startWave({ request, journal: [] }, plan, 0, progress);
    const wait = first && waitFrom(first.wait, 0, null, now);
    const { epoch = 0, leaseUntil: until = 0 } = free ?? {};
    const begin = { plan, progress, wait, epoch, leaseUntil: until };
    try {
      return {
        decision: 'go',
        learnt: { lease: await ledger.open(request, now, leaseUntil(now), begin) },
      };
    } catch (error) {
      // Another one has got it since this one has looked.
      const met = await whileHeld(rollout, error, ports);
      return 'active' in met ? waitFor(met) : met;
    }
  },
};

/** What undoes another rollout is watched from the beginning. */
async function usualRollOf(
  { runtimeId, revert }: Pick<Ready['request'], 'runtimeId' | 'revert'>,
  ledger: OpeningPorts['ledger'],
): Promise<Pick<WaveProgress, 'usualRollMs'>> {
  if (revert !== undefined) return {};
  const usualRollMs = usualRollMsOf(await readPastRolls(runtimeId, ledger));
  return usualRollMs === null ? {} : { usualRollMs };
}

/**
 * What to do about the lease of another rollout: that one, if it may be asked to give way.
 *
 * @throws what does not say that it is held.
 */
async function whileHeld(
  { request, ...before }: Ready,
  error: unknown,
  { ledger, clock }: Pick<OpeningPorts, 'ledger' | 'clock'>,
): Promise<Exclude<Answer, { decision: 'go' }> | Holder> {
  if (!(error instanceof SteprollError) || error.name !== ErrorName.LeaseHeld) throw error;
  const { holder } = error;
  const now = clock.now();
  // The wait for a window is counted apart, and has its own limit.
  const waitedSeconds = waitedBy(before, now).turn;
  const secondsLeft = LONGEST_QUEUE_SECONDS - waitedSeconds;
  const waitFor = (message: string, seconds = queueSeconds(waitedSeconds)) =>
    waitPatiently('turn', { seconds, secondsLeft, message }, now);
  const refused = { decision: 'refuse', error } as const;
  if (secondsLeft <= 0) return refused;
  if (holder === undefined) return waitFor(JUST_CHANGED, 1);
  if (holder === request.rolloutId || request.policy.onConflict !== 'latest') return refused;
  const active = await findRecord(holder, ledger);
  // A rollout does not give way to a rollout of another service.
  if (active !== null && isOfOtherService(active.request, request)) return refused;
  // The request of the other rollout may not be recorded yet, or that rollout has ended meanwhile.
  if (active === null || active.outcome !== null || !wasOpened(active))
    return waitFor(JUST_CHANGED);
  const decided = decideConflict(request, active);
  if (decided.decision === 'refuse') return refusal(decided.error, decided.message);
  if (decided.decision === 'overtaken') {
    return { decision: 'end', ending: endOvertaken(active.request) };
  }
  const wait = waitFor(decided.message);
  const isOwn = ({ kind, by }: Signal) => kind === GIVE_WAY.kind && by === request.rolloutId;
  const isToAsk = decided.asks && !active.signals.some(isOwn);
  return isToAsk ? { active, wait } : wait;
}

const JUST_CHANGED = 'Another rollout of this runtime is just beginning, or has just ended.';

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
  return hindrance('turn', message, queueSeconds(0));
}

/** Each newer rollout asks once, even if another one has asked before: that one may be gone. */
async function askToGiveWay(
  request: RolloutRequest,
  active: RolloutRecord,
  { ledger, clock }: Pick<OpeningPorts, 'ledger' | 'clock'>,
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
