import { type Call, isWrite, type WriteCall } from '../../../../lib/rehearsal/calls.ts';
import type { WriteFault } from '../../../../lib/rehearsal/faults.ts';
import { type Sent, UNCOUNTED } from './look.ts';
import type { Course } from './next.ts';
import type { Walk } from './walk.ts';

/**
 * What the service said to each roll of a batch.
 *
 * @param at When the last one was answered, in milliseconds since the Unix epoch.
 */
export function answered(
  walk: Walk,
  course: Course,
  writes: readonly WriteCall[],
  at: number,
): Course {
  const sent = new Map(course.sent);
  const refusals = new Map(course.refusals);
  const refusedAt = new Map(course.refusedAt);
  for (const write of writes) {
    const { endpointId, answer = '' } = write;
    const all = [...(refusals.get(endpointId) ?? []), answer];
    const before = sent.get(endpointId);
    const times = (before?.times ?? 0) + Number(before?.answer !== 'open');
    const isNoAgain = before !== undefined && isLastingNo(write);
    const roll = isNoAgain ? SECOND_REFUSED : sentBy(walk, write, times, all);
    if (roll === null || isNoAgain) refusals.set(endpointId, all);
    refusedAt.set(endpointId, at);
    if (roll !== null) sent.set(endpointId, { at, ...roll });
  }
  const isAccepted = course.isAccepted || writes.some(({ answer }) => answer === 'accepted');
  const isLockedOut =
    writes.length === 0 ? course.isLockedOut : writes.at(-1)?.answer === NO_ACCESS;
  const waits = writes.map((write) => {
    const fault = faultOf(walk, write);
    return fault?.kind === 'UpstreamThrottled' ? at + fault.seconds * 1000 : 0;
  });
  const retryAt = Math.max(course.retryAt, ...waits);
  return { ...course, sent, refusals, refusedAt, isAccepted, isLockedOut, retryAt };
}

/** That does not take back the first roll, which may still show. But there will be no third one. */
const SECOND_REFUSED: Omit<Sent, 'at'> = { refusal: null, answer: 'none', times: 2 };

const NO_ACCESS = 'UpstreamAuth';

/** It is about this endpoint, and another try would get the same answer. */
export function isLastingNo({ answer }: WriteCall): boolean {
  return answer === 'UpstreamRejected';
}

/** `null`: the service has refused it, and may let it pass. */
function sentBy(
  walk: Walk,
  write: WriteCall,
  times: number,
  refusals: readonly string[],
): Omit<Sent, 'at'> | null {
  const { answer = '' } = write;
  if (answer === 'OutcomeUnknown') {
    return { refusal: null, answer: walk.repeatsRolls ? 'open' : 'none', times };
  }
  if (answer === 'accepted') {
    const fault = faultOf(walk, write);
    const isTold = fault === undefined || !MUTE.has(fault.kind);
    return { refusal: null, answer: isTold ? 'told' : 'accepted', times };
  }
  const counted = refusals.filter((one) => !UNCOUNTED.has(one)).length;
  const isGone = answer === 'UpstreamNotFound' && counted >= MOST_REFUSALS;
  const isLasting = LASTING.has(answer) || isGone;
  return isLasting ? { refusal: answer, answer: 'told', times: 0 } : null;
}

/** The service wants to be asked again so late that the call does not wait for it. */
export function isLongWait(walk: Walk, write: WriteCall): boolean {
  const fault = faultOf(walk, write);
  return fault?.kind === 'UpstreamThrottled' && fault.seconds > LONGEST_PAUSE_SECONDS;
}

const LONGEST_PAUSE_SECONDS = 20;

/** What was drawn for this roll. */
function faultOf({ run, forward, writes }: Walk, write: WriteCall): WriteFault | undefined {
  const all = run.calls.filter((one) => isRoll(one) && one.endpointId === write.endpointId);
  const nth = all.indexOf(write) + 1;
  const planned = forward.endpoints.find(({ endpointId }) => endpointId === write.endpointId);
  return writes.find((one) => {
    return one.operation === 'roll' && one.endpoint === planned?.name && one.nth === nth;
  });
}

export function isRoll(call: Call): call is WriteCall {
  return isWrite(call) && call.operation === 'roll';
}

/** Their answers do not show the target. */
export const MUTE: ReadonlySet<string> = new Set(['mute', 'queued', 'ignored']);

const LASTING: ReadonlySet<string> = new Set(['UpstreamRejected']);

/** So many refusals that may pass are one that lasts, if the endpoint is not there. */
const MOST_REFUSALS = 5;
