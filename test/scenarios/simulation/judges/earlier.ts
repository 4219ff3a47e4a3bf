import { isWrite } from '../../../../lib/rehearsal/calls.ts';
import { START } from '../../../support/scenario-time.ts';
import { type Earlier, isSteady, type Ordeal } from '../ordeal.ts';
import type { SeenEarlier } from '../to-earlier.ts';
import type { Observed } from '../to-script.ts';
import { longestOpeningSeconds } from './opening.ts';

// What is known for certain of a rollout that finds another one under way, while nothing else goes wrong.

/** What may not wait is refused at once, writes nothing, and nobody gives way to it. */
export function refusedAtOnce(ordeal: Ordeal, run: Observed): string[] {
  if (ordeal.earlier === null || run.earlier === null || isDisturbed(ordeal)) return [];
  const expected = refusalOf(ordeal, ordeal.earlier);
  const { outcome, seconds, calls } = run;
  const asked = signalsOf(run).length;
  if (expected === null) return [];
  // Gates are asked before anybody looks who has the runtime.
  const isDue = outcome.reason === expected || (outcome.reason === 'GateRed' && isRed(ordeal, run));
  return [
    ...(isDue ? [] : [`it ended as ${outcome.reason}, and not ${expected}`]),
    ...(calls.some(isWrite) ? ['it wrote'] : []),
    ...(asked === 0 ? [] : ['it asked the other one to give way']),
    ...(seconds > longestOpeningSeconds(ordeal) ? [`it took ${seconds} s`] : []),
  ];
}

/** Something else goes wrong, too. */
function isDisturbed({ lists, people, stall, asked, held, check }: Ordeal): boolean {
  const isHeld = held !== undefined || check !== undefined;
  return lists.length + people.length > 0 || stall !== null || asked !== null || isHeld;
}

/** A gate may have said no by its end. */
function isRed({ alarms, readings }: Ordeal, { seconds }: Observed): boolean {
  const isNo = alarms.some(
    ({ verdict, fromSecond }) => verdict === 'fail' && fromSecond <= seconds,
  );
  return isNo || readings.length > 0;
}

function signalsOf({ earlier }: Observed) {
  return earlier?.record.signals.filter(({ kind }) => kind === 'give-way') ?? [];
}

/** Why it is refused as soon as it is asked for. `null`: it waits. */
function refusalOf({ policy }: Ordeal, earlier: Earlier): string | null {
  const { version, isUnknown, isElsewhere } = earlier;
  const isBelieved = !isUnknown && earlier.askedAfter <= SKEW_SECONDS;
  if (!isElsewhere && isLater(earlier) && isBelieved) return 'Overtaken';
  if (policy.onConflict === 'refuse' || isElsewhere) return 'LeaseHeld';
  if (isLater(earlier)) return 'Overtaken';
  if (version > 2 && !policy.allowDowngrade) return 'DowngradeRefused';
  return isNobody(policy) && version !== 2 ? 'EmptyScope' : null;
}

/** Of two at the same time, the one for the higher version is later, and for the same one, that with the later id. */
function isLater({ askedAfter, version, rolloutId }: Earlier): boolean {
  if (askedAfter !== 0 || version !== 2) return askedAfter > 0 || (askedAfter === 0 && version > 2);
  return rolloutId > 'rollout-1';
}

/** A request from further in the future has its date from a wrong clock. */
const SKEW_SECONDS = 300;

function isNobody({ selection }: Ordeal['policy']): boolean {
  return selection.names.includes('nobody');
}

/** It begins when the other one has ended, not much later, and waits no longer than a day. */
export function waitsForItsTurn(ordeal: Ordeal, run: Observed): string[] {
  const { earlier, policy } = ordeal;
  if (isDisturbed(ordeal)) return [];
  if (earlier === null || run.earlier === null || refusalOf(ordeal, earlier) !== null) return [];
  const { outcome, calls, record } = run;
  if (outcome.reason === 'GateRed' && isRed(ordeal, run))
    return calls.some(isWrite) ? ['a gate was red, and it wrote'] : [];
  const freeAfter = freedAfter(earlier, run.earlier);
  const isTooLong = freeAfter > LONGEST_SECONDS;
  const expected = isTooLong ? 'LeaseHeld' : isNobody(policy) ? 'EmptyScope' : 'Converged';
  const decidedAt = calls.find(isWrite)?.at ?? record?.endedAt;
  const decidedAfter = (Number(decidedAt) - START) / 1000;
  const earliest = Math.min(LONGEST_SECONDS, freeAfter);
  const latest = earliest + paceAfter(earliest) + longestOpeningSeconds(ordeal);
  return [
    ...(outcome.reason === expected ? [] : [`it ended as ${outcome.reason}, and not ${expected}`]),
    ...(decidedAfter < earliest || decidedAfter > latest
      ? [`it waited for ${decidedAfter} s, and had to from ${earliest} to ${latest}`]
      : []),
  ];
}

/** It asks once, before it waits, and only if the other one is for another version. */
export function asksOnce(ordeal: Ordeal, run: Observed): string[] {
  const { earlier } = ordeal;
  if (isDisturbed(ordeal)) return [];
  if (earlier === null || run.earlier === null || refusalOf(ordeal, earlier) !== null) return [];
  if (run.outcome.reason === 'GateRed' && isRed(ordeal, run)) return [];
  // It may end while the list is read that tells whether anybody has to ask.
  if (freedAfter(earlier, run.earlier) <= longestOpeningSeconds(ordeal)) return [];
  const askedAfter = signalsOf(run).map(({ at }) => (at - START) / 1000);
  const isPrompt = askedAfter.every((seconds) => seconds <= longestAskingSeconds(ordeal));
  return askedAfter.length === Number(earlier.version !== 2) && isPrompt
    ? []
    : [`it asked ${askedAfter.length} times, after ${askedAfter} s`];
}

/** A step that fails runs again within seconds. The look after a wait comes later than that. */
function longestAskingSeconds(ordeal: Ordeal): number {
  const { death, clock, ahead } = ordeal;
  const longest = longestOpeningSeconds(ordeal);
  const isTriedAgain = clock === null && ahead === null && death?.error !== 'Killed';
  return isTriedAgain ? longest - (PACE_SECONDS - TRY_SECONDS) : longest;
}

/** The shortest wait for another rollout. */
const PACE_SECONDS = 15;

/** One try that fails, and the wait after it. */
const TRY_SECONDS = 5;

/** After so many seconds the other one has the runtime no more. */
function freedAfter({ isDead, endsAfter }: Earlier, { record }: SeenEarlier): number {
  return isDead ? endsAfter + TOLERANCE_SECONDS : (Number(record.endedAt) - START) / 1000;
}

/** Clocks may differ, so a lease that has run out is respected for another minute. */
const TOLERANCE_SECONDS = 60;

const LONGEST_SECONDS = 24 * 3600;

/** It asks again after a tenth of the wait so far. */
function paceAfter(seconds: number): number {
  return Math.min(300, Math.max(15, Math.ceil(seconds / 10)));
}

/** While it waits for the other one, its record names that one, its next look, and the end of its patience. */
export function saysWhatItWaitsFor(ordeal: Ordeal, { earlier }: Observed): string[] {
  const isKnown = !isDisturbed(ordeal) && isSteady(ordeal);
  const looks = isKnown ? (earlier?.looks ?? []) : [];
  const does = ordeal.earlier?.version === 2 ? 'to end' : 'to give way';
  return looks.flatMap(({ wait, opening }) => {
    if (wait === null || opening === null) return [];
    const { lookedAt } = opening;
    const { lookAt, until, of } = wait;
    const message = of ?? '';
    const pause = (lookAt - lookedAt) / 1000;
    const pace = paceAfter((lookedAt - START) / 1000);
    const patience = (Number(until) - START) / 1000;
    return [
      ...(message.includes(ordeal.earlier?.rolloutId ?? '') && message.includes(does)
        ? []
        : [`it says: ${message}`]),
      ...(Math.abs(pause - pace) <= 2 + pace / 5 ? [] : [`it looks again after ${pause} s`]),
      ...(Math.abs(patience - LONGEST_SECONDS) <= SLACK_SECONDS
        ? []
        : [`it waits until ${patience} s after its start`]),
    ];
  });
}

/** Steps take their time. */
const SLACK_SECONDS = 30;
