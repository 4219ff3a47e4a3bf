import { type Position, parsePosition } from '../contract/flow/position.ts';
import { decideAfterBake, hasHeld } from '../domain/decision/after-bake.ts';
import {
  decideAfterGates,
  decideConfirmedNo,
  lookForGates,
  thoseThatHold,
} from '../domain/decision/after-gates.ts';
import { containAsTold, type Decision, waitAfter } from '../domain/decision/decision.ts';
import type { GateReading } from '../domain/rollout/gates.ts';
import type { RolloutPolicy } from '../domain/rollout/policy.ts';
import { progressOn, type RolloutRecord, type WaveProgress } from '../domain/rollout/record.ts';
import { findAskedFor } from '../domain/signals/approval.ts';
import { bakeOn, isListDue } from '../domain/wave/bake.ts';
import { isGateAtWork, mayRest, waitForWork } from '../domain/wave/gate-watch.ts';
import { lookedAt } from '../domain/wave/names-seen.ts';
import { observeWave } from '../domain/wave/observations.ts';
import { beginWave, countedMs, withPause } from '../domain/wave/progress.ts';
import { needEndpoints } from '../gates/gates.ts';
import { askBeforeWave } from './frame/ask-ahead.ts';
import { askWaves, type WaveLook } from './frame/ask-waves.ts';
import { handOn } from './frame/hand-on.ts';
import type { VerifyPorts } from './frame/ports.ts';
import { readWave } from './frame/read-wave.ts';
import { type TakenUp, takeUp } from './frame/take-up.ts';
import { stepFrom } from './group/group-service.ts';

export const handleVerifyWave = stepFrom(({ position }) => parsePosition(position), verifyWave);

/**
 * Looks at a wave during its bake and after it, and asks the gates when they are due. The next wave starts only when this
 * one has baked, is still converged, and every gate says yes.
 *
 * @throws `LeaseLost`, and errors of the list that waiting does not mend, such as `IncompatibleState`.
 */
export async function verifyWave(position: Position, ports: VerifyPorts): Promise<Position> {
  const { ledger, gates } = ports;
  const taken = await takeUp(ports, position);
  const { lease } = taken;
  const unread = withoutList(position, taken);
  const read = unread ?? (await readWave('verify', position, taken, ports));
  const { before } = read;
  const { execution } = position;
  const found = { record: taken.record, plan: taken.plan, progress: before, lease, execution };
  if ('decision' in read) return handOn(read.decision, found, ports);
  const { endpoints, clock } = read;
  const observations = unread
    ? before.observations
    : observeWave(taken.record, taken.plan, before, read);
  const { record, plan } = lookedAt(taken, observations);
  const at = { ...found, record, plan };
  const { policy } = record.request;
  const progress: WaveProgress = {
    ...withPause(record, before),
    ...bakeOn(plan, before, policy, {
      passedMs: clock.watched - before.clock.watched,
      isAsked: findAskedFor(record, before) !== undefined && !isGateAtWork(before),
      countedMs: countedMs(record, before, clock),
    }),
    clock,
    observations,
    readAt: unread ? before.readAt : clock.at,
    unreadableMs: null,
    looks: before.looks + 1,
  };
  const afterBake = decideAfterBake(record, plan, before, progress);
  const look = { record, plan, progress, endpoints };
  const { decided, asked, readings } = afterBake
    ? await decideInBake(afterBake, look, gates)
    : await decideBaked(look, before, gates);
  // What a gate says before the end of the bake is no doubt yet, and neither is that it is at work.
  const isUnsaid = !afterBake && isDoubted(thoseThatHold(asked, readings), asked, policy);
  const isSure = hasHeld(record, plan, progress) && !isUnsaid;
  const heardSoFar = { ...look, progress: asked };
  const { decision, progress: heard } = await askBeforeWave(decided, heardSoFar, before, gates);
  // It goes on as a wave that has not converged.
  const isChecked = decision.next === 'wait' && decision.look === 'check';
  const after: WaveProgress = {
    ...heard,
    doubtMs: isSure || isChecked ? null : progress.doubtMs,
    ...(isChecked && { isCheckedAgain: true as const }),
  };
  const decidedAt = { ...at, progress: after };
  await saveLook(decision, decidedAt, ledger);
  return handOn(decision, decidedAt, ports);
}

interface Look extends WaveLook {
  readonly record: RolloutRecord;
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
  { record, plan, progress, lease }: Omit<TakenUp, 'clock' | 'now'> & { progress: WaveProgress },
  ledger: VerifyPorts['ledger'],
): Promise<void> {
  const wait = waitAfter(decision, progress, record.wait);
  if (decision.next !== 'roll') return ledger.saveProgress(lease, progress, wait);
  await ledger.saveProgress(lease, progress);
  const { clock } = progress;
  await ledger.saveProgress(lease, beginWave(plan, decision.wave, clock, progress), wait);
}

/** A look that only asks what it was told, and gates that need no endpoints. `undefined`: it reads the list. */
function withoutList({ wave, direction }: Position, { record, plan, clock }: TakenUp) {
  const before = progressOn(record, plan);
  const isThere = before?.wave === wave && before.direction === direction;
  if (!isThere || containAsTold(record, plan, before) !== undefined) return undefined;
  const isDue = isListDue(plan, before, clock, needEndpoints(record.request.policy.verify));
  return isDue ? undefined : { before, endpoints: [], clock };
}

function isDoubted(
  holding: readonly GateReading[],
  asked: WaveProgress,
  policy: RolloutPolicy,
): boolean {
  return holding.length > 0 && waitForWork(asked, holding, policy) === null;
}
