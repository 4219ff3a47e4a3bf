import { type Position, parsePosition } from '../contract/flow/position.ts';
import {
  decideAfterGates,
  decideConfirmedNo,
  lookForGates,
  thoseThatHold,
} from '../domain/decision/after-gates.ts';
import { decideAfterLook } from '../domain/decision/after-look.ts';
import { containAsTold, type Decision, waitAfter } from '../domain/decision/decision.ts';
import { decideInterruption } from '../domain/decision/interruption.ts';
import { legOf } from '../domain/endpoint/leg.ts';
import { APPROVAL_TIMED_OUT } from '../domain/rollout/outcome.ts';
import type { RolloutPlan } from '../domain/rollout/plan.ts';
import { progressOn, type RolloutRecord, type WaveProgress } from '../domain/rollout/record.ts';
import { areAmong, findAskedFor, isAnswer } from '../domain/signals/approval.ts';
import { linesOfRollWait } from '../domain/turn/roll-window.ts';
import { isListDue } from '../domain/wave/bake.ts';
import { isGateAtWork, mayRest, waitForWork } from '../domain/wave/gate-watch.ts';
import { hearGatesOf } from '../domain/wave/hearing.ts';
import { lookedAt } from '../domain/wave/names-seen.ts';
import { observeWave } from '../domain/wave/observations.ts';
import { advanceProgress, beginBake, beginWave } from '../domain/wave/progress.ts';
import { needEndpoints } from '../gates/gates.ts';
import { stepFrom } from './group/group-service.ts';
import { askBeforeWave } from './io/ask-ahead.ts';
import { askWaves, type WaveLook } from './io/ask-waves.ts';
import { handOn } from './io/hand-on.ts';
import type { VerifyPorts } from './io/ports.ts';
import { readWave } from './io/read-wave.ts';
import { type TakenUp, takeUp } from './io/take-up.ts';

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
  const decided = await decide(seen, gates);
  const { decision, progress } = await hearLastAnswers(decided, seen, { lease, ledger, gates });
  await saveLook(decision, { record, plan, progress, lease }, ledger);
  return handOn(decision, { record, plan, progress, lease, execution }, ports);
}

/**
 * Before a wave goes on, or ends, that people were asked about, they are asked no more, and what they have answered since
 * the record was read is followed like the rest. No gate of the wave is asked again.
 */
async function hearLastAnswers(
  decided: Decided,
  seen: Seen,
  { lease, ledger, gates }: Pick<VerifyPorts, 'ledger' | 'gates'> & Pick<TakenUp, 'lease'>,
): Promise<Decided> {
  const { plan, before } = seen;
  const isAsked = findAskedFor(seen.record, before) !== undefined;
  if (!isAsked || decided.decision.next === 'wait') return decided;
  const answers = await ledger.stopAsking(lease);
  const others = seen.record.signals.filter((signal) => !isAnswer(signal));
  if (areAmong(answers, seen.record.signals)) return decided;
  const { decision, progress } = decided;
  const record = { ...seen.record, signals: [...others, ...answers] };
  const look = { record, plan, progress };
  const told = decideInterruption(look);
  if (told !== undefined) return { decision: told, progress };
  const isOver = decision.next === 'contain' && decision.ending.reason === APPROVAL_TIMED_OUT;
  if (!isOver) return decided;
  const endpoints = seen.endpoints ?? [];
  const answered = decideAfterGates(record, plan, progress, [], endpoints);
  return askBeforeWave(answered, { ...look, endpoints }, before, gates);
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

/** What follows from what a look has read, and from the gates that it asks. */
async function decide(seen: Seen, gates: VerifyPorts['gates']): Promise<Decided> {
  const { record, plan, before, observations, clock } = seen;
  const readAt = seen.endpoints === null ? before.readAt : clock.at;
  const isAsked = findAskedFor(record, before) !== undefined && !isGateAtWork(before);
  const read = { observations, clock, readAt, isAsked };
  const seenNow = advanceProgress(record, plan, before, read);
  const decided = decideAfterLook(record, plan, seenNow);
  const hasConverged = decided?.next === 'wait' && decided.for === 'bake';
  const progress = hasConverged && before.bakedMs === null ? beginBake(seenNow) : seenNow;
  const look = { record, plan, progress, endpoints: seen.endpoints ?? [] };
  return decided === undefined
    ? decideBaked(look, before, gates)
    : askMeanwhile(decided, look, before, gates);
}

/** Whichever waves have converged are under their gates, whatever the rest of this one does, and on no way back. */
async function askMeanwhile(
  decided: Decision,
  look: Look,
  before: WaveProgress,
  gates: VerifyPorts['gates'],
): Promise<Decided> {
  const { record, plan, progress } = look;
  const isNew = before.bakedMs === null && progress.bakedMs !== null;
  const goesOn = decided.next === 'wait' || decided.next === 'roll';
  // A wave that has no bake is asked about at its end, which is now.
  const isOver = isNew && decided.next === 'wait' && decided.seconds === 0;
  if (legOf(plan).after === 'close' || !goesOn || isOver) return { decision: decided, progress };
  const { progress: asked } = await askWaves(look, isNew, gates);
  const decision =
    decideConfirmedNo(record, plan, asked) ?? lookForGates(decided, asked, record.request.policy);
  return { decision, progress: asked };
}

/**
 * A wave that has baked, and is still converged: its gates decide, and a person after them. While nothing but a person is
 * waited for they are asked when they are due, and once more when that is over.
 */
async function decideBaked(
  look: Look,
  before: WaveProgress,
  gates: VerifyPorts['gates'],
): Promise<Decided> {
  const { record, plan, progress, endpoints } = look;
  const { policy } = record.request;
  if (mayRest(record.wait, before, progress)) {
    const decision = decideAfterGates(record, plan, progress, [], endpoints);
    if (decision.next === 'wait') return { decision, progress };
  }
  const { progress: asked, readings } = await askWaves(look, true, gates);
  const unsaid = thoseThatHold(asked, readings);
  const isAtWork = waitForWork(asked, unsaid, policy) !== null;
  const heard = { ...asked, ...hearGatesOf(asked, isAtWork || unsaid.length === 0) };
  const decision = decideAfterGates(record, plan, heard, readings, endpoints);
  return askBeforeWave(decision, { ...look, progress: heard }, before, gates);
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
    const news = [...(progress.news ?? []), ...linesOfRollWait(wait)];
    return ledger.saveProgress(lease, { ...progress, ...(news.length > 0 && { news }) }, wait);
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
