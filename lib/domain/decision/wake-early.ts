import type { Watched } from '../clock.ts';
import { CONTAINMENTS } from '../containment/failure-policies.ts';
import { activePlan, progressOn, type RolloutRecord } from '../rollout/record.ts';
import { findAnswer, findAskedFor } from '../signals/approval.ts';
import { isPromoted } from '../signals/promote.ts';
import type { SignalContext } from '../signals/signal-kind.ts';
import { isWell } from '../wave/hearing.ts';
import { retryWaitSeconds } from '../wave/polls.ts';
import { decideInterruption } from './interruption.ts';

/**
 * Whether a look that comes now would follow what the rollout was told. A signal that changes nothing brings no look
 * forward: looks confirm each other, and for that time has to pass between them. `not-yet`: endpoints would be stopped,
 * and the service has asked to wait before the next write. A roll waits for that by itself.
 */
export function judgeTold(record: RolloutRecord, now: Watched): Verdict {
  const look = lookOf(record);
  if (look === undefined) return 'ignored';
  const isNews = isApproved(look) || isJustPromoted(look);
  return judgeInterruption(look, now) ?? (isNews ? 'followed' : 'ignored');
}

type Verdict = 'followed' | 'not-yet' | 'ignored';

/** Whether a look that comes now would end, contain or turn around the rollout because of what it was told. */
export function isToldToEnd(record: RolloutRecord, now: Watched): boolean {
  const look = lookOf(record);
  return look !== undefined && judgeInterruption(look, now) === 'followed';
}

function lookOf(record: RolloutRecord): SignalContext | undefined {
  const plan = activePlan(record);
  const progress = plan === null ? undefined : progressOn(record, plan);
  return plan === null || progress === undefined ? undefined : { record, plan, progress };
}

/** `undefined`: nothing was said that interrupts it. */
function judgeInterruption(look: SignalContext, now: Watched): 'followed' | 'not-yet' | undefined {
  const { record } = look;
  const asked = decideInterruption(look);
  if (asked === undefined) return undefined;
  const isStopping = asked.next === 'contain' && CONTAINMENTS[asked.onFailure].write === 'stop';
  return isStopping && retryWaitSeconds(record, now) > 0 ? 'not-yet' : 'followed';
}

function isApproved({ record, progress }: SignalContext): boolean {
  const { wave } = progress;
  const answer = findAnswer(record, wave)?.answer;
  return isWell(progress) && findAskedFor(record, progress) !== undefined && answer === 'pass';
}

/** While the list is in doubt, time has to pass between two looks. */
function isJustPromoted({ record, progress }: SignalContext): boolean {
  const { wave, direction, bakedMs, heard, promoted } = progress;
  const isNews = promoted === undefined && direction !== 'back' && isPromoted(record.signals, wave);
  return bakedMs !== null && isNews && heard === 'well';
}
