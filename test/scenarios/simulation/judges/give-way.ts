import { isList } from '../../../../lib/rehearsal/calls.ts';
import { isWhole } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { START } from '../../../support/scenario-time.ts';
import { isRelease, isSteady, type Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import { heldMs, pausesOf } from './holds.ts';
import { longestOpeningSeconds } from './opening.ts';
import { LONGEST_LOOK_TO_OPEN_SECONDS } from './time.ts';

/** Each newer release that waits for the rollout under way asks it once to give way. */
export function isAskedToGiveWay(ordeal: Ordeal, run: Observed): string[] {
  const { record, seconds, releases } = run;
  // Somebody who reads no list, or dies, may ask later, or once more.
  if (!isSteady(ordeal) || ordeal.lists.length > 0 || record?.plan == null) return [];
  const askable = releases.flatMap(({ record: one }) => (one?.plan == null ? [] : [one.request]));
  const late = longestOpeningSeconds(ordeal);
  const since = (record.startedAt - START) / 1000 + late;
  return askable.flatMap(({ rolloutId, desiredVersion, startedBy }) => {
    const askedAfter = (startedBy.at - START) / 1000;
    const isNewer = askedAfter > since && desiredVersion !== record.request.desiredVersion;
    const asked = record.signals.filter(
      ({ kind, by }) => kind === 'give-way' && by === rolloutId,
    ).length;
    const mayAskAfter = unfrozenAfter(run, askedAfter, late);
    const isUnheard = isNewer && mayAskAfter < seconds - late && asked === 0;
    return isUnheard || asked > 1
      ? [`${rolloutId} came after ${askedAfter} s, and asked it ${asked} times to give way`]
      : [];
  });
}

/** Whom a freeze holds asks nobody, and looks again after it. In seconds since the start. */
function unfrozenAfter({ holds }: Observed, askedAfter: number, late: number): number {
  const ends = holds
    .filter(({ kind, on }) => kind === 'freeze' && (on === 'everything' || on === 'runtime'))
    .filter(({ addedAt }) => addedAt <= START + (askedAfter + late) * 1000)
    .map(({ overAt }) => (overAt - START) / 1000 + LONGEST_LOOK_TO_OPEN_SECONDS)
    .filter((second) => second > askedAfter);
  return Math.max(askedAfter, ...ends);
}

/** Whoever asks another one to give way has just read a list. */
export function asksWithAList(ordeal: Ordeal, run: Observed): string[] {
  const { record, earlier, releases, calls } = run;
  if (ordeal.clock !== null) return [];
  const records = [record, earlier?.record, ...releases.map((release) => release.record)];
  const reads = [calls, ...releases.map((release) => release.calls)].flat().filter(isList);
  return records
    .flatMap((one) => one?.signals ?? [])
    .filter(({ kind, by, at }) => {
      const read = reads.findLast((one) => one.rolloutId === by && one.at <= at);
      return kind === 'give-way' && read !== undefined && !read.endpoints?.length;
    })
    .map(({ by }) => `${by} asked for its turn, and had read no list`);
}

/** What was asked to give way ends with its next look at a list that can be read, but for a way back. */
export function givesWay(ordeal: Ordeal, run: Observed): string[] {
  const { record, calls } = run;
  const signal = record?.signals.find(({ kind }) => kind === 'give-way');
  // An abort asks for its stops, and each of them has a look of its own.
  const isAborted = record?.signals.some(({ kind }) => kind === 'abort');
  if (record == null || signal === undefined || !isSteady(ordeal) || isAborted) return [];
  if (askerMayBeGone(ordeal) || record.rollback !== null) return [];
  // The reads of a plan are none of its looks.
  const plannedAt = record.events.find(({ kind }) => kind === 'started')?.at ?? 0;
  const since = Math.max(signal.at, plannedAt);
  // Whoever has no plan when it is asked makes none any more, but for one that is just being made.
  if (plannedAt > signal.at + longestOpeningSeconds(ordeal) * 1000)
    return ['it made its plan after it was asked to give way'];
  // Under a pause it gives way to nobody, and looks on.
  const pauses = pausesOf(ordeal, run);
  const looks = calls
    .filter(isList)
    .filter((read) => read.at > since && isWhole(read, record))
    .filter(({ at }) => heldMs(pauses, at, at + 1) === 0);
  return looks.length > MOST_LOOKS
    ? [`it looked ${looks.length} times after it was asked to give way`]
    : [];
}

/** One that was under way, one of a batch that was just about to roll, and the one that hears it. */
const MOST_LOOKS = 3;

/** Whoever it gives way to waits for that, or has begun by then. */
export function givesWayToSomebody(
  { stall, clock, latencyMs }: Ordeal,
  { record, outcome, releases }: Observed,
): string[] {
  if (record === null || outcome.reason !== 'GaveWay' || stall?.isRaced === true) return [];
  // Each says by a clock of its own when it has ended.
  if (clock !== null) return [];
  const askers = record.signals.filter(({ kind }) => kind === 'give-way').map(({ by }) => by);
  // The look that hears it reads the list, too, before the rollout ends.
  const heardAt = Number(record.endedAt) - 5 * latencyMs;
  const isThere = releases.some(
    ({ record: one }) =>
      one !== null &&
      askers.includes(one.request.rolloutId) &&
      (one.plan !== null || Number(one.endedAt ?? record.endedAt) >= heardAt),
  );
  return isThere ? [] : [`it gave way to ${askers}, and nobody waited for that any more`];
}

/** What had stops to call off when it gave way is superseded, and nothing else that had failed is. */
export function failedGivesWay(_: Ordeal, { record, told, outcome }: ScenarioResult): string[] {
  const failing = told.find((event) => event.kind === 'failing');
  if (record === null || failing === undefined) return [];
  const hasCalledOff = record.journal.some(
    ({ result, reason }) => result === 'kept' && reason === 'gave-way',
  );
  const isSuperseded = outcome.reason === 'GaveWay';
  const mayBeOther = outcome.outcome !== 'Failed' && !isSuperseded;
  if (mayBeOther || hasCalledOff === isSuperseded) return [];
  return [
    `it had failed, called off ${hasCalledOff ? '' : 'no '}stops, and ended with ${outcome.reason}`,
  ];
}

/** What goes back gives way to nobody before it is back. */
export function goesBackFirst(_: Ordeal, { record, outcome }: ScenarioResult): string[] {
  const isAborted = record?.signals.some(({ kind }) => kind === 'abort');
  return record?.rollback != null && !isAborted && outcome.reason === 'GaveWay'
    ? ['it was going back, and gave way']
    : [];
}

/**
 * Whether the newer rollout that asked for the runtime may have gone since, so that nobody has to give way to it any
 * more. It gives way itself to a release after it, and to a clock that is ahead it looks as if it were gone.
 */
export function askerMayBeGone({ clock, people }: Ordeal): boolean {
  const releases = people.filter(isRelease);
  return (clock?.offsetMs ?? 0) > 0 || releases.length > 1;
}
