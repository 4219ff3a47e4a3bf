import type { WhyKept } from '../containment/decide-stop.ts';
import { type Attempts, NO_ATTEMPTS, stopHistories } from '../endpoint/attempts.ts';
import type { PlannedEndpoint } from '../endpoint/endpoint.ts';
import type { JournalEntry } from '../endpoint/journal.ts';
import {
  type EndpointState,
  hasConverged,
  isUntold,
  type Observation,
} from '../endpoint/observation.ts';
import { rollHistories, rollsOfPlan, wasSent } from '../endpoint/rolls.ts';
import type { LeftOutEndpoint } from '../rollout/plan.ts';
import { type AskedRollout, activePlan, progressOn } from '../rollout/record.ts';
import { nameOf } from '../sentences.ts';

/**
 * What happened to an endpoint of the plan, or where it is now.
 * - `live`: it is live on the desired version.
 * - `back`, `not-back`: it is on its previous version again, or not.
 * - `stopped`: its stop was made; the reason is what it was before: `failed`, `missing`, `in-mid-roll`.
 * - `kept`: its stop was kept back for a reason.
 * - `stop-unsure`: its stop was sent, and nobody knows the result, or its stop was refused.
 * - `refused`: the service refused its roll, or the rollout of the runtime was refused; it was never rolled.
 * - `not-rolled`: nothing was written to it; the reason is why its roll could not be sent.
 * - `lost`: it failed, is gone from the list or was moved by somebody else; its state tells which.
 * - `in-mid-roll`: it was rolled and is not there yet.
 */
export const FATES = [
  'refused',
  'lost',
  'in-mid-roll',
  'stopped',
  'kept',
  'stop-unsure',
  'not-back',
  'back',
  'live',
  'not-rolled',
] as const;
export type Fate = (typeof FATES)[number];

/** The version that it is on, or in words what it is where it is on none of the two. */
type Place =
  | 'desired'
  | 'previous'
  | 'stopped'
  | 'elsewhere'
  | 'gone from the list'
  | 'in a failed state'
  | 'in mid-roll'
  | 'in doubt'
  | 'left as it is'
  | 'asked to stop';

export interface EndpointFate {
  readonly endpointId: string;
  /** Its name, or its id when it has no name. */
  readonly name: string;
  readonly fate: Fate;
  /** A short and stable name; `null` when there is nothing to explain. */
  readonly reason: string | null;
  /** As far as the last look and the writes tell. */
  readonly place: Place;
  /** Why it failed, or was taken back, in the words of the service. `null`: it has said nothing. */
  readonly statusReason: string | null;
}

/** An endpoint of the plan that is followed now, with what its fate follows from. */
export interface EndpointRow extends EndpointFate {
  readonly planned: PlannedEndpoint;
  /** 1-based. */
  readonly wave: number;
  readonly seen: Observation;
  /** The last journal line about its roll in this direction, which may be an intention. */
  readonly roll: JournalEntry | null;
}

type Followed = Pick<AskedRollout, 'plan' | 'rollback' | 'progress' | 'journal'> &
  Partial<Pick<AskedRollout, 'outcome'>>;

/**
 * The fate of every endpoint of the rollout's plan.
 *
 * @param hasEnded @default - whether it has an outcome
 */
export function listFates(record: Followed, hasEnded?: boolean): EndpointFate[] {
  const { rollback, plan, journal } = record;
  const rows = listEndpointRows(record, hasEnded);
  if (rollback === null) return rows;
  const said = saidBefore(record);
  const isTouched = new Set([...rows, ...rollback.plan.leftOut].map((each) => each.endpointId));
  const untouched = (plan?.endpoints ?? []).flatMap((each, place) =>
    isTouched.has(each.endpointId) ? [] : [{ each, refused: rollback.seen[place]?.refused }],
  );
  return [
    ...rows,
    ...rollback.plan.leftOut.map((each) => ({
      ...idOf(each, said),
      ...leftOutFate(each, journal),
    })),
    ...untouched.map(({ each, refused }) => ({ ...idOf(each, said), ...notRolled(refused) })),
  ];
}

export function listEndpointRows(
  record: Followed,
  hasEnded = Boolean(record.outcome),
): EndpointRow[] {
  const plan = activePlan(record);
  if (plan === null) return [];
  const rolls = rollHistories(record.journal, plan.direction);
  const stops = stopHistories(record.journal);
  const observations = latestObservations(record);
  const said = saidBefore(record);
  return plan.waves.flatMap(({ from, to }, index) =>
    plan.endpoints.slice(from, to).map((planned, place) => {
      const seen = observations[from + place] as Observation;
      const history = rolls.get(planned.endpointId) ?? NO_ATTEMPTS;
      const stop = stops.get(planned.endpointId)?.last ?? null;
      const id = idOf(planned, said);
      return {
        ...id,
        ...(plan.direction === 'back'
          ? backFate(planned, seen, history, stop, hasEnded)
          : forwardFate(seen, history, stop)),
        ...(isUntold(seen) && stop === null && { place: 'in doubt' as const }),
        statusReason: seen.statusReason ?? id.statusReason,
        ...{ planned, wave: index + 1, seen, roll: history.last ?? null },
      };
    }),
  );
}

/**
 * The latest observation of each endpoint of the plan that is followed now, by its place in the plan. The journal
 * knows of a roll up to half a minute before the next read of the list does.
 */
export function latestObservations(record: Followed): Observation[] {
  const plan = activePlan(record);
  if (plan === null) return [];
  // What was seen on the way forward says nothing about the rollback.
  const seen = progressOn(record, plan)?.observations ?? [];
  return rollsOfPlan(record.journal, plan).map((history, place) => {
    const observation = seen[place] ?? { state: 'pending', reads: 1 };
    return observation.state === 'pending' && wasSent(history)
      ? { state: 'requested', reads: 1 }
      : observation;
  });
}

/** What the service had said of endpoints before their way back, by their id. */
function saidBefore({ plan, rollback }: Followed): ReadonlyMap<string, string> {
  return new Map(
    plan?.endpoints.flatMap(({ endpointId }, place) => {
      const said = rollback?.seen[place]?.statusReason;
      return said === undefined ? [] : [[endpointId, said] as const];
    }),
  );
}

function idOf(
  endpoint: Pick<PlannedEndpoint, 'name' | 'endpointId'>,
  said: ReadonlyMap<string, string>,
) {
  const { endpointId } = endpoint;
  return { endpointId, name: nameOf(endpoint), statusReason: said.get(endpointId) ?? null };
}

type Told = Pick<EndpointFate, 'fate' | 'reason' | 'place'>;

const NOT_ROLLED = { fate: 'not-rolled', place: 'previous' } as const;

/** @param refused Why its own rollout was refused, if it was. */
function notRolled(refused: string | undefined): Told {
  return refused === undefined
    ? { ...NOT_ROLLED, reason: null }
    : { ...NOT_ROLLED, fate: 'refused', reason: refused };
}

const PLACES: Readonly<Record<EndpointState, Place>> = {
  pending: 'previous',
  requested: 'in mid-roll',
  progressing: 'in mid-roll',
  converged: 'desired',
  failed: 'in a failed state',
  missing: 'gone from the list',
  reverted: 'elsewhere',
  'taken-back': 'previous',
  superseded: 'elsewhere',
};

function forwardFate(
  { state, refused, isPinned }: Observation,
  history: Attempts,
  stop: JournalEntry | null,
): Told {
  const place = PLACES[state];
  if (stop?.result === 'accepted') {
    return { ...STOPPED, reason: place === 'in mid-roll' ? 'in-mid-roll' : state };
  }
  if (stop !== null) return { ...stopFate(stop), place: placeOfKept(stop, state) };
  if (state === 'converged') return { fate: 'live', reason: null, place };
  if (refused !== undefined) return notRolled(refused);
  const { result, reason = null } = history.last ?? {};
  // A second roll that is refused undoes no first one.
  if (result === 'rejected' && !wasSent(history)) return { ...NOT_ROLLED, fate: 'refused', reason };
  // An endpoint whose roll may have been sent is at least `requested`.
  if (state === 'pending') return { ...NOT_ROLLED, reason: isPinned ? PINNED : reason };
  return place === 'in mid-roll'
    ? { fate: 'in-mid-roll', reason: isPinned ? PINNED : null, place }
    : { fate: 'lost', reason: state, place };
}

const PINNED = 'pinned' satisfies WhyKept;

const STOPPED = { fate: 'stopped', place: 'stopped' } as const;

function stopFate({ result, reason = null }: { result: string; reason?: string | null }) {
  return { fate: result === 'kept' ? 'kept' : 'stop-unsure', reason } as const;
}

/** The list that was read for its stop is the last one. */
function placeOfKept({ reason = '' }: JournalEntry, state: EndpointState): Place {
  if (reason === 'went-live' && state !== 'failed') return 'desired';
  return state === 'converged' ? 'desired' : (KEPT[reason] ?? PLACES[state]);
}

/** What the list showed that kept a stop back. `null`: nothing that the last look had not shown. */
const KEPT: Readonly<Record<string, Place | null>> = {
  'not-rolled': 'previous',
  'never-seen-moving': 'in doubt',
  recovering: 'in mid-roll',
  vanished: 'gone from the list',
  moved: 'elsewhere',
  'stopped-already': 'stopped',
  'went-live': null,
  'live-unknown': null,
  protected: null,
  pinned: null,
  'min-serving': null,
  'list-unreadable': null,
  'cannot-stop': null,
  aborted: null,
  'gave-way': null,
} satisfies Record<WhyKept, Place | null>;

/** Whether a stop was kept back from what nobody can take back. */
export function isOutOfReach(reason: string): boolean {
  const place = KEPT[reason];
  return place === 'gone from the list' || place === 'elsewhere' || place === 'stopped';
}

function backFate(
  { leftAs }: PlannedEndpoint,
  seen: Observation,
  { last }: Attempts,
  stop: JournalEntry | null,
  hasEnded: boolean,
): Told {
  const { state } = seen;
  if (stop?.result === 'accepted') return { ...STOPPED, reason: null };
  if (hasConverged(seen)) return { fate: 'back', reason: null, place: 'previous' };
  if (state === 'superseded') return { fate: 'lost', reason: state, place: 'elsewhere' };
  const isPending = state === 'pending';
  const isOnItsWay = isPending || state === 'converged' || PLACES[state] === 'in mid-roll';
  // One that was live on the version when its way back was planned still is, until it is asked.
  const isStillThere = isPending && leftAs === undefined;
  const place = isStillThere ? 'desired' : isOnItsWay ? 'in mid-roll' : PLACES[state];
  if (isOnItsWay && !hasEnded) {
    return { fate: 'in-mid-roll', reason: isPending ? state : null, place };
  }
  if (last?.result === 'rejected') return { fate: 'not-back', reason: last.reason ?? null, place };
  return seen.refused === undefined
    ? { fate: 'not-back', reason: state, place }
    : { fate: 'not-back', reason: seen.refused, place: 'left as it is' };
}

function leftOutFate(
  { endpointId, reason }: LeftOutEndpoint,
  journal: readonly JournalEntry[],
): Told {
  switch (reason) {
    case 'stopped': {
      const stop = stopHistories(journal).get(endpointId)?.last ?? { result: 'unknown' };
      return stop.result === 'accepted'
        ? { ...STOPPED, reason: null }
        : { ...stopFate(stop), place: 'asked to stop' };
    }
    case 'at-version':
      return { fate: 'lost', reason: 'taken-back', place: 'previous' };
    case 'moved':
      return { fate: 'lost', reason: 'superseded', place: 'elsewhere' };
    default:
      return { fate: 'not-back', reason, place: 'left as it is' };
  }
}
