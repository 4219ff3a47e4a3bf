import { isLost, isOverdue, isPutOff, isUnderWay, type Shown } from './look.ts';
import type { Course, Next } from './next.ts';

/** The endpoints of the wave and of those before it. */
export function watched({ plan, wave }: Pick<Course, 'plan' | 'wave'>): number {
  return plan.waves[wave]?.to ?? 0;
}

/** What got lost is made once more after three reads and a minute, or with its token at once, if there is room. */
export function nextRolls(course: Course): number[] {
  const { plan, sent, at } = course;
  const shown = course.shown.slice(0, watched(course));
  const lost = shown.flatMap(({ state, reads }, index) => {
    const roll = sent.get(plan.endpoints[index]?.endpointId ?? '');
    if (state !== 'requested' || roll === undefined) return [];
    const isLong = reads >= 3 && roll.times < 2 && isOverdue(roll, at);
    return isLong || roll.answer === 'open' ? [index] : [];
  });
  const tooMany = shown.filter(isPlaced).length - plan.maxUnavailable;
  return [...lost.slice(Math.max(0, tooMany)), ...rollsOf(course)].toSorted((a, b) => a - b);
}

function isPlaced(each: Shown): boolean {
  return isUnderWay(each) && !each.isBroken;
}

/** What is rolled before the next look. Of a group only some at a time, and the next look comes soon. */
export function rollThenLook(
  { plan, policy }: Course,
  rolls: readonly number[],
  seconds: number,
): Extract<Next, { follows: 'look' }> {
  const isMany = plan.maxAtRisk !== undefined && rolls.length > MOST_OF_GROUP;
  return isMany
    ? { follows: 'look', seconds: policy.pollSeconds, rolls: rolls.slice(0, MOST_OF_GROUP) }
    : { follows: 'look', seconds, rolls };
}

const MOST_OF_GROUP = 8;

/** As long as nobody is let in, one goes alone. */
export function together({ isLockedOut }: Course, rolls: readonly number[]): number[] {
  return rolls.slice(0, isLockedOut ? 1 : rolls.length);
}

/**
 * As many as may be in mid-roll, and one alone until the service has accepted one. What the service does not roll for now
 * waits, and gives its place to the others; what it is at work on, or has refused before, comes after them.
 */
export function rollsOf(course: Course): number[] {
  const { plan } = course;
  const shown = course.shown.slice(0, watched(course));
  const underWay = shown.filter(isPlaced).length;
  const moving = shown.filter(({ isMoving, isBroken }) => isMoving && !isBroken).length;
  let room = plan.maxUnavailable - underWay - moving;
  let roomToTurn = plan.maxUnavailable - underWay;
  const lost = plan.direction === 'back' ? 0 : shown.filter(isLost).length;
  let roomAtRisk = (plan.maxAtRisk ?? Number.POSITIVE_INFINITY) - underWay - lost;
  const asked = shown.flatMap((one, index) => {
    const { endpointId = '' } = plan.endpoints[index] ?? {};
    const answers = course.refusals.get(endpointId) ?? [];
    const refusedAt = course.refusedAt.get(endpointId) ?? 0;
    const waits = isPutOff(answers, refusedAt, one.isAtWork, course.at);
    const isLater =
      answers.at(-1) === 'UpstreamConflict' || (one.isAtWork && one.isMoving === false);
    return one.state === 'pending' && !waits ? [{ ...one, index, isLater }] : [];
  });
  const inTurn = [...asked.filter((one) => !one.isLater), ...asked.filter((one) => one.isLater)];
  const chosen = inTurn.flatMap(({ index, isBroken, isMoving }) => {
    if (isBroken) return [index];
    const hasRoom = (isMoving ? roomToTurn-- : room--) > 0 && roomAtRisk > 0;
    roomAtRisk -= Number(hasRoom);
    return hasRoom ? [index] : [];
  });
  if (plan.direction === 'back' || course.isAccepted) return together(course, chosen);
  return shown.some(isUnderWay) ? [] : chosen.slice(0, 1);
}
