import type { RolloutPlan } from '../../../../lib/domain/rollout/plan.ts';
import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { START } from '../../../support/scenario-time.ts';
import type { Ordeal } from '../ordeal.ts';
import type { Beside } from '../to-script.ts';
import {
  afterUnread,
  beginWave,
  decided,
  firstRolls,
  newCourse,
  withoutRead,
  withRead,
} from './course.ts';
import { endAsDue } from './due-end.ts';
import { rollAsDue } from './due-rolls.ts';
import { faultAt, provesNothing, type Stand, UNFORESEEN, type Verdict, type Walk } from './walk.ts';

/**
 * Follows a rollout call by call, as far as its plan, its reads and the answers to its rolls say all that it can know,
 * and says each time what has to come next, to the second. As soon as anything else counts, nothing is foreseen.
 */
export function goesAsForeseen(
  ordeal: Ordeal,
  run: ScenarioResult & Pick<Beside, 'haltedAt'> & Partial<Pick<Beside, 'holds'>>,
): string[] {
  const { record } = run;
  const { latencyMs } = ordeal;
  const policy = record?.request.policy;
  const plan = record?.plan;
  if (record === null || !policy || plan == null || !hadToGo(plan)) return [];
  if (ordeal.policy.statuses !== undefined || ordeal.check !== undefined) return [];
  const startedAt = record.events.find(({ kind }) => kind === 'started')?.at;
  if (startedAt === undefined) return [];
  const course = beginWave(newCourse(plan, policy, startedAt), 0);
  const place = run.calls.findLastIndex((call) => isList(call) && call.at <= startedAt + latencyMs);
  const next = firstRolls(course);
  if (place < 0 || next.rolls.length === 0) return [];
  const until = disturbedAt(ordeal, run);
  // A clock that is behind may say that it began before the clock was wrong.
  if ((run.calls.find(isWrite)?.at ?? startedAt) >= until) return [];
  const walk: Walk = {
    run,
    forward: plan,
    until,
    latencyMs,
    lists: ordeal.lists,
    writes: ordeal.writes,
    people: ordeal.people,
    repeatsRolls: ordeal.cannotStop,
  };
  return follow(walk, { course, next, place });
}

/** Up to where nothing is foreseen any more. */
export function follow(walk: Walk, from: Stand): string[] {
  let stand: Stand | Verdict = from;
  while (!('wrong' in stand)) stand = goOn(walk, stand);
  return stand.wrong;
}

/** When something comes that no plan, list or answer says: a word, a halt, a wrong clock, or a list that is old. */
function disturbedAt(
  { clock, lists, latencyMs, held }: Ordeal,
  {
    record,
    haltedAt,
    holds = [],
  }: Pick<ScenarioResult, 'record'> & Pick<Beside, 'haltedAt'> & Partial<Pick<Beside, 'holds'>>,
): number {
  // Who listens while he waits looks as soon as he hears a yes.
  const said = record?.signals.find(({ kind }) => kind !== 'approve' || held?.listens)?.at;
  const lies = latencyMs === 0 ? [] : lists.filter(({ kind }) => !SEEN.has(kind));
  const whiles = [...lies, ...(clock === null ? [] : [clock])];
  const heldAt = holds.map(({ addedAt }) => addedAt);
  const times = [
    said,
    haltedAt,
    ...heldAt,
    ...whiles.map(({ fromSecond }) => START + 1000 * fromSecond),
  ];
  return Math.min(...times.map((at) => at ?? Number.POSITIVE_INFINITY));
}

/** What goes wrong with a list that comes as fast as any other. */
export const SEEN: ReadonlySet<string> = new Set([
  'blind',
  'dark',
  'odd',
  'some',
  'short',
  'hidden',
]);

/** Everybody was known to be on another version before the plan. */
function hadToGo({ endpoints }: RolloutPlan): boolean {
  return endpoints.every(({ previousVersion, previousTarget, desiredVersion }) => {
    const isKnown = Number(previousVersion) >= 1 && (previousTarget ?? 1) >= 1;
    return isKnown && previousVersion !== desiredVersion;
  });
}

/** Up to the next look, and to what it leads to. */
function goOn(walk: Walk, { course, next, place }: Stand): Stand | Verdict {
  if (course.at >= walk.until) return UNFORESEEN;
  if (next.follows === 'gates') return { wrong: ['the gates had to be asked'] };
  if (next.follows === 'end') return endAsDue(walk, course, next.reasons, place);
  const rolled = rollAsDue(walk, course, next.rolls, place);
  if ('wrong' in rolled) return rolled;
  const at = rolled.at + next.seconds * 1000 + walk.latencyMs;
  const look = walk.run.calls[rolled.place];
  if (at >= walk.until) return UNFORESEEN;
  if (look === undefined || !isList(look) || look.at !== at) {
    const what = look === undefined ? 'nothing came' : `${look.operation} came`;
    const late = ((look?.at ?? 0) - at) / 1000;
    return { wrong: [`a read was due after ${next.seconds} s, and ${what} ${late} s later`] };
  }
  const waited = { at, seconds: next.seconds };
  if (provesNothing(walk, look)) {
    const unread = withoutRead(rolled.course, waited);
    return { ...afterUnread(unread, faultAt(walk, at)), place: rolled.place + 1 };
  }
  const read = withRead(rolled.course, look.endpoints ?? [], waited);
  const after = read === null ? null : decided(walk.run, rolled.course, read);
  return after === null ? UNFORESEEN : { ...after, place: rolled.place + 1 };
}
