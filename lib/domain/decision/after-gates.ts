import { describeGate, describeNoApproval, describeNoWave } from '../ending/failure.ts';
import { describeSuccess } from '../ending/success.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { soonest } from '../look-again.ts';
import { type AskedReading, type GateReading, listReadings } from '../rollout/gates.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';
import type { PlannedWait } from '../rollout/wait.ts';
import { failByRejection, findAnswer } from '../signals/approval.ts';
import { judgeAhead } from '../wave/ahead.ts';
import { judgeApproval } from '../wave/bake.ts';
import { confirmedNoes, waitForWork } from '../wave/gate-watch.ts';
import { leftOf, PAUSED_LOOK_SECONDS } from '../wave/polls.ts';
import { contain, type Decision, waitFor, waitToRoll } from './decision.ts';
import { follow } from './interruption.ts';
import { startWave } from './next-rolls.ts';

/**
 * What follows from what the gates have said of the waves so far, whatever else a look at the wave shows. A no that counts
 * does not wait for endpoints in mid-roll. `undefined`: nothing.
 */
export function decideConfirmedNo(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Decision | undefined {
  const noes = confirmedNoes(progress);
  if (noes.length === 0) return undefined;
  return contain(record, plan, progress, describeGate('GateFailed', plan, progress, noes));
}

/**
 * The same decision, with a look in time for the gates. After the first no of a gate nothing more is rolled until that look, which
 * confirms it or takes it back. A gate that gives no answer then holds nothing back.
 */
export function lookForGates(
  decision: Decision,
  { watch, clock }: WaveProgress,
  { pollSeconds }: Pick<RolloutPolicy, 'pollSeconds'>,
): Decision {
  if (watch === undefined) return decision;
  const inTime = <W extends PlannedWait>(wait: W): W => {
    const { lookAgainIn } = soonest(wait.seconds, (watch.dueAt - clock.watched) / 1000);
    return { ...wait, seconds: Math.max(0, lookAgainIn) };
  };
  if (decision.next === 'roll') {
    const wait = inTime(decision.wait);
    const isNew = watch.noes.some(({ since }) => clock.watched - since < pollSeconds * 1000);
    return isNew ? { next: 'wait', ...wait } : { ...decision, wait };
  }
  return decision.next === 'wait' ? inTime(decision) : decision;
}

/** What follows a wave that has baked: gates, an approval, the next wave. @param listed The last read of the list. */
export function decideAfterGates(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  readings: readonly AskedReading[],
  listed: readonly Endpoint[],
): Decision {
  const { policy } = record.request;
  const confirmed = decideConfirmedNo(record, plan, progress);
  if (confirmed !== undefined) return confirmed;
  const unsaid = thoseThatHold(progress, readings);
  const work = waitForWork(progress, unsaid, policy);
  const of = listReadings(unsaid);
  if (work !== null) {
    return waitFor('check', progress, { seconds: work.lookAgainIn, of });
  }
  if (unsaid.length > 0) {
    // A no is confirmed by the next look, or taken back. Gates that take turns with it come to their end at the deadline.
    const { pollSeconds, progressDeadlineSeconds } = policy;
    const isNo = unsaid.some(({ verdict }) => verdict === 'fail');
    const leftMs = progressDeadlineSeconds * 1000 - (progress.watch?.unsaidMs ?? 0);
    if (leftMs + (isNo ? pollSeconds * 1000 : 0) <= 0) {
      return { next: 'close', ending: describeGate('GateUnknown', plan, progress, unsaid) };
    }
    const left = isNo ? Number.POSITIVE_INFINITY : leftOf(leftMs / 1000, progress);
    const { lookAgainIn: seconds } = soonest(pollSeconds, left);
    return waitFor('gate', progress, { seconds, leftMs, of });
  }
  return decideApproval(record, plan, progress, listed);
}

/** What keeps a baked wave from being trusted. Silence does not after a promotion, unless a no still stands. */
export function thoseThatHold(
  { promoted, watch }: Pick<WaveProgress, 'promoted' | 'watch'>,
  readings: readonly GateReading[],
): readonly GateReading[] {
  const unsaid = readings.filter(({ verdict }) => verdict !== 'pass');
  const isNo = unsaid.some(({ verdict }) => verdict === 'fail') || (watch?.noes.length ?? 0) > 0;
  return promoted === undefined || isNo ? unsaid : [];
}

/** The last wave needs no approval, because no wave follows it. */
function decideApproval(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  listed: readonly Endpoint[],
): Decision {
  const { approval } = record.request.policy.verify;
  const isLast = progress.wave + 1 >= plan.waves.length;
  if (approval === null || isLast) return goOn(record, plan, progress, listed);
  const look = { record, plan, progress };
  const rejected = failByRejection(look);
  if (rejected !== undefined) return follow(rejected, look);
  const isApproved = findAnswer(record, progress.wave)?.answer === 'pass';
  if (isApproved) return goOn(record, plan, progress, listed);
  const time = judgeApproval(progress, approval);
  if (time !== 'over') {
    // Under a pause the time for it stands still, and no answer begins a wave.
    const seconds = Math.max(time.lookAgainIn, record.isPaused ? PAUSED_LOOK_SECONDS : 0);
    const leftMs = approval.timeoutSeconds * 1000 - progress.askedMs;
    return waitFor('approval', progress, { seconds, leftMs });
  }
  if (approval.onTimeout === 'approve') return goOn(record, plan, progress, listed);
  return contain(record, plan, progress, describeNoApproval(plan, progress, approval));
}

function goOn(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  listed: readonly Endpoint[],
): Decision {
  const next = progress.wave + 1;
  const isLast = next >= plan.waves.length;
  // Its gates are asked again until the pause is over.
  if (record.isPaused && !isLast) {
    return waitFor('pause', progress, { seconds: PAUSED_LOOK_SECONDS });
  }
  return isLast
    ? { next: 'close', ending: describeSuccess(record, plan, progress, listed) }
    : (waitToRoll(record, plan, next, progress) ?? startWave(record, plan, next, progress));
}

/**
 * What follows from the gates that the next wave waits for. A no is like one in a bake: the failure policy follows. A
 * promotion ends a bake, and gives no answer here.
 *
 * @param begin What follows when all of them say yes.
 */
export function decideAhead(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  readings: readonly AskedReading[],
  begin: Extract<Decision, { next: 'roll' }>,
): Decision {
  const verdict = judgeAhead(progress.ahead ?? NOTHING, readings, progress, record.request.policy);
  if (verdict === 'go') return begin;
  if ('lookAgainIn' in verdict) {
    const { lookAgainIn: seconds, waitsFor, readings } = verdict;
    return waitFor(waitsFor, progress, { seconds, of: listReadings(readings) });
  }
  const { reason, readings: answers } = verdict;
  const ending = describeNoWave(reason, begin.wave, plan.waves.length, answers);
  return reason === 'GateFailed'
    ? contain(record, plan, progress, ending)
    : { next: 'close', ending };
}

const NOTHING = { kept: [] };
