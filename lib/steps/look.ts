import { type Position, parsePosition } from '../contract/flow/position.ts';
import { decideAfterBake, hasHeld } from '../domain/decision/after-bake.ts';
import { decideAfterCheck } from '../domain/decision/after-check.ts';
import {
  decideAfterGates,
  decideConfirmedNo,
  lookForGates,
  thoseThatHold,
} from '../domain/decision/after-gates.ts';
import { containAsTold, type Decision, waitAfter } from '../domain/decision/decision.ts';
import { legOf } from '../domain/endpoint/leg.ts';
import type { GateReading } from '../domain/rollout/gates.ts';
import type { RolloutPlan } from '../domain/rollout/plan.ts';
import type { RolloutPolicy } from '../domain/rollout/policy.ts';
import { progressOn, type RolloutRecord, type WaveProgress } from '../domain/rollout/record.ts';
import { findAskedFor } from '../domain/signals/approval.ts';
import { bakeOn, isListDue, judgeBake } from '../domain/wave/bake.ts';
import { isGateAtWork, mayRest, waitForWork } from '../domain/wave/gate-watch.ts';
import { lookedAt } from '../domain/wave/names-seen.ts';
import { observeWave } from '../domain/wave/observations.ts';
import { advanceProgress, beginWave, countedMs, withPause } from '../domain/wave/progress.ts';
import { needEndpoints } from '../gates/gates.ts';
import { askBeforeWave } from './frame/ask-ahead.ts';
import { askWaves, type WaveLook } from './frame/ask-waves.ts';
import { handOn } from './frame/hand-on.ts';
import type { VerifyPorts } from './frame/ports.ts';
import { readWave } from './frame/read-wave.ts';
import { type TakenUp, takeUp } from './frame/take-up.ts';
import { stepFrom } from './group/group-service.ts';

export const handleLook = stepFrom(({ position }) => parsePosition(position), look);

/**
 * Looks at a wave: reads the list once, unless it is not due in a bake, asks the gates that are due, and says what comes
 * next. The next wave starts only when this one has converged and baked, is still converged, and every gate says yes.
 * Waves that have baked stay under their gates. When the list cannot be read now, the step waits for it until a
 * deadline: such a list proves nothing, and nothing is written because of it.
 *
 * @throws `LeaseLost`, and errors of the list that waiting does not mend, such as `IncompatibleState`.
 */
export async function look(position: Position, ports: VerifyPorts): Promise<Position> {
  const { ledger, gates } = ports;
  const { execution } = position;
  const taken = await takeUp(ports, position);
  const { lease } = taken;
  const read = withoutList(position, taken) ?? (await readWave(position, taken, ports));
  const { before } = read;
  const found = { record: taken.record, plan: taken.plan, progress: before, lease, execution };
  if ('decision' in read) return handOn(read.decision, found, ports);
  const { endpoints, clock } = read;
  const observations =
    endpoints === null
      ? before.observations
      : observeWave(taken.record, taken.plan, before, { endpoints, clock });
  const { record, plan } = lookedAt(taken, observations);
  const seen = { record, plan, before, observations, endpoints, clock };
  const { decision, progress } = await (isBaking(before)
    ? lookAtBake(seen, gates)
    : lookAtRolls(seen, gates));
  await saveLook(decision, { record, plan, progress, lease }, ledger);
  return handOn(decision, { record, plan, progress, lease, execution }, ports);
}

/** What a look has read, before any gate is asked. */
interface Seen extends Pick<WaveProgress, 'observations' | 'clock'> {
  readonly record: RolloutRecord;
  readonly plan: RolloutPlan;
  readonly before: WaveProgress;
  /** `null`: the list was not due. */
  readonly endpoints: WaveLook['endpoints'] | null;
}

interface Decided {
  readonly decision: Decision;
  readonly progress: WaveProgress;
}

interface Look extends WaveLook {
  readonly record: RolloutRecord;
}

function isBaking({ bakedMs, isCheckedAgain }: WaveProgress): boolean {
  return bakedMs !== null && isCheckedAgain !== true;
}

/** A wave that has yet to converge. Whichever waves have baked before are under their gates meanwhile. */
async function lookAtRolls(
  { record, plan, before, observations, endpoints, clock }: Seen,
  gates: VerifyPorts['gates'],
): Promise<Decided> {
  const progress = advanceProgress(record, plan, before, { observations, clock });
  const checked = decideAfterCheck(record, plan, progress);
  const hasConverged = checked.next === 'wait' && checked.for === 'bake';
  const reached = hasConverged ? beginBake(plan, progress) : progress;
  const goesOn = checked.next === 'wait' || checked.next === 'roll';
  // A wave that has no bake is asked about at its end, which is now.
  const isOver = hasConverged && checked.seconds === 0;
  if (legOf(plan).after === 'close' || !goesOn || isOver) {
    return { decision: checked, progress: reached };
  }
  const isNew = hasConverged && before.converged === undefined;
  const asked = { record, plan, progress: reached, endpoints: endpoints ?? [] };
  const { progress: after } = await askWaves(asked, isNew, gates);
  const decision = decideConfirmedNo(record, plan, after) ?? lookForGates(checked, after);
  return { decision, progress: after };
}

/**
 * A wave that had converged before bakes on. No progress is due in a bake, so it takes nothing of the deadline. What the
 * list has said against the wave is refuted now, but a gate that was silent after the bake has no new deadline: only the
 * looks after it are due once more.
 */
function beginBake(
  plan: RolloutPlan,
  { isCheckedAgain: _, ...progress }: WaveProgress,
): WaveProgress {
  const { clock, bakedMs, doubtMs } = progress;
  const { at, watched } = clock;
  const hasBaked = bakedMs !== null && judgeBake(plan, progress) === 'baked';
  return {
    ...progress,
    bakedMs: bakedMs ?? 0,
    converged: progress.converged ?? { at, watched },
    doubtMs: hasBaked ? doubtMs : null,
    looksInDoubt: 0,
    stalledMs: 0,
  };
}

/** A wave that has converged: in its bake, and after it, when its gates and perhaps a person decide. */
async function lookAtBake(seen: Seen, gates: VerifyPorts['gates']): Promise<Decided> {
  const { record, plan, before, observations, clock } = seen;
  const { policy } = record.request;
  const isRead = seen.endpoints !== null;
  const progress: WaveProgress = {
    ...withPause(record, before),
    ...bakeOn(plan, before, policy, {
      passedMs: clock.watched - before.clock.watched,
      isAsked: findAskedFor(record, before) !== undefined && !isGateAtWork(before),
      countedMs: countedMs(record, before, clock),
    }),
    clock,
    observations,
    readAt: isRead ? clock.at : before.readAt,
    unreadableMs: null,
    looks: before.looks + 1,
  };
  const afterBake = decideAfterBake(record, plan, before, progress);
  const look = { record, plan, progress, endpoints: seen.endpoints ?? [] };
  const { decided, asked, readings } = afterBake
    ? await decideInBake(afterBake, look, gates)
    : await decideBaked(look, before, gates);
  // What a gate says before the end of the bake is no doubt yet, and neither is that it is at work.
  const isUnsaid = !afterBake && isDoubted(thoseThatHold(asked, readings), asked, policy);
  const isSure = hasHeld(record, plan, progress) && !isUnsaid;
  const heardSoFar = { ...look, progress: asked };
  const { decision, progress: heard } = await askBeforeWave(decided, heardSoFar, before, gates);
  // It goes on as a wave that has not converged.
  const isChecked = decision.next === 'wait' && decision.for === 'second-look';
  const after: WaveProgress = {
    ...heard,
    doubtMs: isSure || isChecked ? null : progress.doubtMs,
    ...(isChecked && { isCheckedAgain: true as const }),
  };
  return { decision, progress: after };
}

/** A wave in its bake, or in doubt: its gates are asked when they are due, and what they say may end the rollout. */
async function decideInBake(afterBake: Decision, look: Look, gates: VerifyPorts['gates']) {
  const { record, plan, progress } = look;
  const { progress: asked, readings } =
    afterBake.next === 'wait' ? await askWaves(look, false, gates) : { progress, readings: [] };
  const decided = decideConfirmedNo(record, plan, asked) ?? lookForGates(afterBake, asked);
  return { decided, asked, readings };
}

/**
 * A wave that has baked, and is still converged: its gates decide, and a person after them. While nothing but a person is
 * waited for they are asked when they are due, and once more when that is over.
 */
async function decideBaked(look: Look, before: WaveProgress, gates: VerifyPorts['gates']) {
  const { record, plan, progress, endpoints } = look;
  if (mayRest(record.wait, before, progress)) {
    const decided = decideAfterGates(record, plan, progress, [], endpoints);
    if (decided.next === 'wait') return { decided, asked: progress, readings: [] };
  }
  const { progress: asked, readings } = await askWaves(look, true, gates);
  return { decided: decideAfterGates(record, plan, asked, readings, endpoints), asked, readings };
}

/** The look, and if the next wave follows, the begin of that. */
async function saveLook(
  decision: Decision,
  {
    record,
    plan,
    progress,
    lease,
  }: Pick<TakenUp, 'record' | 'plan' | 'lease'> & Pick<Decided, 'progress'>,
  ledger: VerifyPorts['ledger'],
): Promise<void> {
  const wait = waitAfter(decision, progress, record.wait);
  if (decision.next !== 'roll' || decision.wave === progress.wave) {
    return ledger.saveProgress(lease, progress, wait);
  }
  await ledger.saveProgress(lease, progress);
  const begun = beginWave(plan, decision.wave, progress.clock, progress);
  await ledger.saveProgress(lease, begun, wait);
}

/** A look that only asks what it was told, and gates that need no endpoints. `undefined`: it reads the list. */
function withoutList({ wave, direction }: Position, { record, plan, clock }: TakenUp) {
  const before = progressOn(record, plan);
  const isThere = before?.wave === wave && before.direction === direction;
  if (!isThere || containAsTold(record, plan, before) !== undefined) return undefined;
  const isDue = isListDue(plan, before, clock, needEndpoints(record.request.policy.verify));
  return isDue ? undefined : { before, endpoints: null, clock };
}

function isDoubted(
  holding: readonly GateReading[],
  asked: WaveProgress,
  policy: RolloutPolicy,
): boolean {
  return holding.length > 0 && waitForWork(asked, holding, policy) === null;
}
