import { isList } from '../../../lib/rehearsal/calls.ts';
import { isWhole } from '../../support/read-evidence.ts';
import type { ScenarioResult } from '../../support/run-scenario.ts';
import { START } from '../../support/scenario-time.ts';
import { isRelease, isSteady, type Ordeal } from './ordeal.ts';

/** A newer release asks the rollout under way to give way, when it may wait for it. */
export function isAskedToGiveWay(
  ordeal: Ordeal,
  { record, seconds, calls }: ScenarioResult,
): string[] {
  const { policy, people, lists, latencyMs, asked } = ordeal;
  // A version that is not there is asked for by nobody, and one that is too high gives nobody way.
  const isClear = isSteady(ordeal) && asked === null && lists.length === 0;
  const mayWait = policy.onConflict === 'latest' && policy.maxVersionStep !== 1;
  if (!mayWait || !isClear || record?.plan == null) return [];
  const from = (record.startedAt - START) / 1000 + 10 + latencyMs / 100;
  // An empty list is never believed, so nobody can say whether the newer one would be refused.
  const isEmptyAfter = (second: number) =>
    calls.some(
      (call) => isList(call) && call.at >= START + second * 1000 && call.endpoints?.length === 0,
    );
  const isUnheard = people.some(
    ({ kind, atSecond }) =>
      kind === 'rival' &&
      Number(atSecond) > from &&
      !isEmptyAfter(Number(atSecond)) &&
      Number(atSecond) < seconds - LONGEST_LOOK_SECONDS &&
      !record.signals.some((signal) => signal.kind === 'give-way'),
  );
  return isUnheard ? ['a newer release came, and did not ask it to give way'] : [];
}

/** A look during a bake comes after a minute, and the service may ask for as much. */
const LONGEST_LOOK_SECONDS = 150;

/** What was asked to give way ends with its next look at a list that can be read, but for a way back. */
export function givesWay(ordeal: Ordeal, { record, calls }: ScenarioResult): string[] {
  const signal = record?.signals.find(({ kind }) => kind === 'give-way');
  // An abort asks for its stops, and each of them has a look of its own.
  const isAborted = record?.signals.some(({ kind }) => kind === 'abort');
  if (record == null || signal === undefined || !isSteady(ordeal) || isAborted) return [];
  if (askerMayBeGone(ordeal) || record.rollback !== null) return [];
  // The reads of a plan are none of its looks.
  const plannedAt = record.events.find(({ kind }) => kind === 'started')?.at ?? 0;
  const since = Math.max(signal.at, plannedAt);
  const looks = calls.filter(isList).filter((read) => read.at > since && isWhole(read, record));
  return looks.length > MOST_LOOKS
    ? [`it looked ${looks.length} times after it was asked to give way`]
    : [];
}

/** One that was under way, one of a batch that was just about to roll, and the one that hears it. */
const MOST_LOOKS = 3;

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
