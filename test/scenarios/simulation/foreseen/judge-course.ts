import type { RolloutPlan } from '../../../../lib/domain/rollout/plan.ts';
import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import { isWhole } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';
import { beginWave, decided, firstRolls, newCourse, withRead } from './course.ts';
import { endAsDue } from './due-end.ts';
import { rollAsDue } from './due-rolls.ts';
import { isUnread, type Stand, UNFORESEEN, type Verdict, type Walk } from './walk.ts';

/**
 * Follows a rollout call by call, as far as its plan, its reads and the answers to its rolls say all that it can know,
 * and says each time what has to come next, to the second. As soon as anything else counts, nothing is foreseen.
 */
export function goesAsForeseen(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record } = run;
  const { word, latencyMs, lists } = ordeal;
  const isClear =
    isSteady(ordeal) &&
    word === null &&
    ordeal.policy.statuses === undefined &&
    (latencyMs === 0 || lists.every(({ kind }) => SEEN.has(kind)));
  const policy = record?.request.policy;
  const plan = record?.plan;
  if (record === null || !isClear || !policy || plan == null || !wasAtRest(plan)) return [];
  const first = run.calls.findIndex(isWrite);
  const startedAt = record.events.find(({ kind }) => kind === 'started')?.at;
  // What the first list for a roll did not let through may come later, for another reason.
  if (startedAt === undefined || run.calls[first]?.at !== startedAt + latencyMs) return [];
  const course = beginWave(newCourse(plan, policy, startedAt), 0);
  const until =
    record.signals.find(({ kind }) => kind !== 'approve')?.at ?? Number.POSITIVE_INFINITY;
  const isMute = ordeal.writes.some(({ kind }) => MUTE.has(kind));
  const walk: Walk = { run, forward: plan, until, latencyMs, isMute };
  let stand: Stand | Verdict = { course, next: firstRolls(course), place: first - 1 };
  while (!('wrong' in stand)) stand = goOn(walk, stand);
  return stand.wrong;
}

/** What goes wrong with a list that comes as fast as any other. */
const SEEN: ReadonlySet<string> = new Set(['blind', 'dark', 'odd', 'some', 'short', 'hidden']);

/** Their answers do not show the target. */
const MUTE: ReadonlySet<string> = new Set(['mute', 'queued', 'late', 'ignored']);

/** Nothing was on its way before the plan. */
function wasAtRest({ endpoints }: RolloutPlan): boolean {
  return endpoints.every(
    ({ previousVersion, previousTarget, desiredVersion }) =>
      previousVersion !== null &&
      previousVersion >= 1 &&
      previousVersion === previousTarget &&
      previousVersion !== desiredVersion,
  );
}

/** Up to the next look, and to what it leads to. */
function goOn(walk: Walk, { course, next, place }: Stand): Stand | Verdict {
  if (course.at >= walk.until) return UNFORESEEN;
  if (next.follows === 'alarms') return { wrong: ['the alarms had to be asked'] };
  if (next.follows === 'end') return endAsDue(walk, course, next.reasons, place);
  const rolled = rollAsDue(walk, course, next.rolls, place);
  if ('wrong' in rolled) return rolled;
  const at = rolled.at + next.seconds * 1000 + walk.latencyMs;
  const look = walk.run.calls[rolled.place];
  if (at >= walk.until || isUnread(look)) return UNFORESEEN;
  if (look === undefined || !isList(look) || look.at !== at) {
    const what = look === undefined ? 'nothing came' : `${look.operation} came`;
    const late = ((look?.at ?? 0) - at) / 1000;
    return { wrong: [`a read was due after ${next.seconds} s, and ${what} ${late} s later`] };
  }
  if (!isWhole(look, { plan: walk.forward })) return UNFORESEEN;
  const read = withRead(rolled.course, look.endpoints ?? [], at, next.seconds);
  const after = read === null ? null : decided(walk.run, read);
  return after === null ? UNFORESEEN : { ...after, place: rolled.place + 1 };
}
