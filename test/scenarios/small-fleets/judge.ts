import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import { type RolloutRecord, wasOpened } from '../../../lib/domain/rollout/record.ts';
import { findAbort } from '../../../lib/domain/signals/abort.ts';
import { type Call, isWrite, type WriteCall } from '../../../lib/rehearsal/calls.ts';
import { INVARIANTS, violations } from '../../support/invariants.ts';
import { midRollStaysBounded } from '../../support/mid-roll-invariant.ts';
import type { Promises } from '../../support/promise.ts';
import { JUDGES } from '../simulation/judges/ending.ts';
import { writesAreInJournal } from '../simulation/judges/journal.ts';
import { keepsEnoughServing } from '../simulation/judges/kept.ts';
import { type Configuration, type Event, policyOf } from './configuration.ts';
import { DESIRED_VERSION, PREVIOUS_VERSION } from './fleet.ts';
import { CRASH } from './scene.ts';
import { holdersIn, isOver, rolloutIn, type Situation } from './situation.ts';

/** One situation as the judges see it. */
interface Case extends Pick<Situation, 'memory' | 'fleet' | 'past'> {
  readonly policy: RolloutPolicy;
  readonly record: RolloutRecord | null;
  /** `null`: the rollout is still under way. */
  readonly outcome: Outcome | null;
  /** What has happened that need not happen. */
  readonly happened: readonly Event[];
}

/** What must hold besides the invariants of all rollouts, by the id of the promise. */
const CHECKS: Readonly<Record<string, (one: Case) => string[]>> = {
  'writes-are-in-journal': ({ record, past }) => writesAreInJournal({ record, calls: past.calls }),
  'keeps-enough-serving': ({ policy, past }) => keepsEnoughServing({ policy }, past),
  'halts-when-told': haltsWhenTold,
  'ends-as-told': endsAsTold,
  'crash-is-survived': crashIsSurvived,
  'harmless-is-survived': harmlessIsSurvived,
  'cleanup-is-true': outcomeIsTrue,
  'closes-once': leaseIsFree,
  'pause-is-heard': pauseIsHeard,
};

/** The same promises as those of random rollouts, and judged in another way. */
export const PROMISES: Promises<(one: Case) => string[]> = Object.fromEntries(
  Object.entries(CHECKS).map(([id, check]) => {
    const promise = JUDGES[id] ?? INVARIANTS[id];
    if (promise === undefined) throw new Error(`There is no promise ${id}.`);
    return [id, { ...promise, check }];
  }),
);

/** What does not hold in a situation, each with the promise that says something else. */
export function judge(situation: Situation, configuration: Configuration): string[] {
  const { memory, past, left } = situation;
  const asked = rolloutIn(memory);
  const record = asked !== null && wasOpened(asked) ? asked : null;
  const { calls, states, told } = past;
  const outcome = outcomeOf(situation);
  const trace = { calls, states, told, asked, record, isListed: asked !== null, outcome };
  const happened = configuration.events.filter((event) => !left.has(event));
  const policy = policyOf(configuration);
  return [
    ...violations(invariantsWithout(past.moved), { ...trace, ...ALWAYS }),
    ...violations(PROMISES, { ...situation, policy, record, outcome, happened }),
  ];
}

/** What somebody else has moved is not in mid-roll because of the rollout, or nobody can tell. */
function invariantsWithout(moved: string | null): typeof INVARIANTS {
  if (moved === null) return INVARIANTS;
  const isOther = (call: Call) => !isWrite(call) || call.endpointId !== moved;
  const isBounded: (typeof INVARIANTS)[string]['check'] = (trace) =>
    midRollStaysBounded({ ...trace, calls: trace.calls.filter(isOther) });
  return Object.fromEntries(
    Object.entries(INVARIANTS).map(([id, promise]) =>
      promise.check === midRollStaysBounded
        ? [id, { ...promise, check: isBounded }]
        : [id, promise],
    ),
  );
}

/** No endpoint was on the desired version before, so a version alone tells which way a roll goes. */
export const ALWAYS = { turnedAt: null, isClockWrong: false } as const;

/** `null`: the rollout is still under way. */
export function outcomeOf(situation: Situation): Outcome | null {
  if (!isOver(situation)) return null;
  const {
    next: _,
    says: __,
    ...outcome
  } = situation.input as Outcome & Record<'next' | 'says', unknown>;
  return outcome;
}

function haltsWhenTold({ memory, past }: Case): string[] {
  const abort = findAbort(rolloutIn(memory)?.signals ?? []);
  const { calls, abortedAfter } = past;
  if (abortedAfter === null) return [];
  const allowed: readonly string[] = ASKED_FOR[abort?.onFailure ?? 'hold'];
  return calls
    .slice(abortedAfter)
    .filter(isWrite)
    .filter((write) => !allowed.includes(kindOf(write)))
    .map((write) => `${kindOf(write)} of ${write.endpointId} after it was told to end`);
}

/** Calls take no time here, and who sends a roll has just heard of the pause. */
function pauseIsHeard({ past: { calls, paused } }: Case): string[] {
  if (paused === null) return [];
  return calls
    .slice(paused.after, paused.liftedAfter ?? calls.length)
    .filter(isWrite)
    .filter((write) => kindOf(write) === 'roll')
    .map(({ endpointId }) => `${endpointId} was rolled under a pause`);
}

const ASKED_FOR = { hold: [], 'stop-old': ['stop'], 'roll-back': ['roll-back'] } as const;

function kindOf({ operation, version }: WriteCall): string {
  return operation === 'roll' && version !== DESIRED_VERSION ? 'roll-back' : operation;
}

function endsAsTold({ outcome, past }: Case): string[] {
  const isIgnored = past.abortedAfter !== null && outcome !== null && outcome.outcome !== 'Aborted';
  return isIgnored ? [`it was aborted, and ended: ${said(outcome)}`] : [];
}

function crashIsSurvived({ outcome }: Case): string[] {
  return outcome?.reason === CRASH ? [`one crash ended it: ${said(outcome)}`] : [];
}

/** The deadline is three polls long, so two of them may take too much of it. */
function harmlessIsSurvived({ outcome, past, happened }: Case): string[] {
  const passing = happened.filter((event) => PASSING.has(event));
  const isSerious = past.isDisturbed || passing.length > 1;
  return isSerious || outcome === null || outcome.outcome === 'Succeeded'
    ? []
    : [`nothing serious went wrong, and it ended: ${said(outcome)}`];
}

const PASSING: ReadonlySet<Event> = new Set(['crash', 'lost', 'stale', 'pause']);

/** How the fleet truly is, whatever a list has shown. */
function outcomeIsTrue({ outcome, past, fleet, happened }: Case): string[] {
  if (outcome === null || happened.includes('move')) return [];
  const rolled = new Set(past.calls.filter(isWrite).map(({ endpointId }) => endpointId));
  return fleet.flatMap(({ id, liveVersion, targetVersion, status }) => {
    const isThere = liveVersion === DESIRED_VERSION && targetVersion === DESIRED_VERSION;
    const isBack = liveVersion === PREVIOUS_VERSION && targetVersion === PREVIOUS_VERSION;
    const isLeftOld = rolled.has(id) && !isThere && status !== 'STOPPED';
    const isLie =
      (outcome.outcome === 'Succeeded' && !isThere) ||
      (outcome.cleanup === 'rolledBack' && !isBack) ||
      (outcome.cleanup === 'stopped' && isLeftOld);
    return isLie
      ? [`${id} is ${status} on ${liveVersion} to ${targetVersion}, and: ${said(outcome)}`]
      : [];
  });
}

function leaseIsFree({ outcome, memory }: Case): string[] {
  const isHeld = holdersIn(memory).length > 0;
  return isHeld && outcome !== null ? ['the lease is not free after the end'] : [];
}

function said({ outcome, cleanup, message }: Outcome): string {
  return `${outcome}, ${cleanup}: ${message}`;
}
