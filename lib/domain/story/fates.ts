import { stopHistories } from '../endpoint/attempts.ts';
import type { PlannedEndpoint } from '../endpoint/endpoint.ts';
import type { JournalEntry } from '../endpoint/journal.ts';
import { rolledBy } from '../planning/undo.ts';
import type { LeftOutEndpoint } from '../rollout/plan.ts';
import type { AskedRollout } from '../rollout/record.ts';
import { nameOf } from '../sentences.ts';
import { listLives } from './lives.ts';
import { type EndpointRow, listEndpointRows } from './standing.ts';

/**
 * What happened to an endpoint of the plan, or where it is now.
 * - `live`: it is live on the desired version.
 * - `back`, `not-back`: it is on its previous version again, or not.
 * - `stopped`: its stop was made; the reason is what it was before: `failed`, `missing`, `in-mid-roll`.
 * - `kept`: its stop was kept back for a reason.
 * - `stop-unsure`: its stop was sent, and nobody knows the result, or its stop was refused.
 * - `refused`: the service refused its roll.
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

export interface FateGroup {
  readonly fate: Fate;
  /** A short and stable name; `null` when there is nothing to explain. */
  readonly reason: string | null;
  /** The names of the endpoints, in the order of the plan. An endpoint without a name goes by its id. */
  readonly names: readonly string[];
  /** Since when that endpoint of them has not changed that has not for the longest time. `null`: not known. */
  readonly since: { readonly name: string; readonly at: number } | null;
}

/** Every endpoint of the rollout's plan, in groups of the same fate. The worst fate comes first. */
export function groupByFate(record: AskedRollout): FateGroup[] {
  const lives = listLives(record);
  const groups = Map.groupBy(listFates(record), ({ fate, reason }) =>
    JSON.stringify([fate, reason]),
  );
  return [...groups.values()]
    .map((group) => {
      const { fate, reason } = group[0] as EndpointFate;
      const changes = group.flatMap(({ endpointId, name }) => {
        const at = lives.get(endpointId)?.at(-1)?.at;
        return at === undefined ? [] : [{ name, at }];
      });
      const since = changes.reduce<FateGroup['since']>(
        (first, one) => (first === null || one.at < first.at ? one : first),
        null,
      );
      return { fate, reason, names: group.map(({ name }) => name), since };
    })
    .sort((a, b) => FATES.indexOf(a.fate) - FATES.indexOf(b.fate));
}

export interface EndpointFate {
  readonly endpointId: string;
  /** Its name, or its id when it has no name. */
  readonly name: string;
  readonly fate: Fate;
  /** A short and stable name; `null` when there is nothing to explain. */
  readonly reason: string | null;
}

/** The fate of every endpoint of the rollout's plan. */
export function listFates(record: AskedRollout): EndpointFate[] {
  const { rollback, plan } = record;
  if (rollback === null) return listEndpointRows(record).map(forwardFate);
  const touched = [...rollback.plan.endpoints, ...rollback.plan.leftOut];
  const ids = new Set(touched.map(({ endpointId }) => endpointId));
  const untouched = plan?.endpoints.filter(({ endpointId }) => !ids.has(endpointId)) ?? [];
  return [
    ...listEndpointRows(record).map((row) => backFate(row, record.outcome !== null)),
    ...rollback.plan.leftOut.map((each) => leftOutFate(each, record.journal)),
    ...untouched.map((each) => ({ ...idOf(each), fate: 'not-rolled' as const, reason: null })),
  ];
}

/**
 * What another rollout to the same version would have to roll: `unplanned` when this one had no plan yet, `nothing`
 * when every endpoint of its plan is live on the version, stopped, gone from the list or in the hands of somebody
 * else.
 */
export type LeftToRoll = 'unplanned' | 'something' | 'nothing';

/** What is left to do after a rollout: by another one to the same version, and by one that undoes it. */
export interface LeftToDo {
  readonly toRoll: LeftToRoll;
  /** Whether it has rolled something that may still be away from the version before. */
  readonly toTakeBack: boolean;
  /** Whether it had told that what it rolled goes back, whatever became of that. */
  readonly wasToGoBack: boolean;
}

export function leftToDo(record: AskedRollout): LeftToDo {
  const wasToGoBack = record.events.some((event) => {
    return event.kind === 'failing' && event.onFailure === 'roll-back';
  });
  const toRoll = listFates(record).some(isLeft) ? 'something' : 'nothing';
  return {
    toRoll: record.plan === null ? 'unplanned' : toRoll,
    toTakeBack: isLeftToTakeBack(record),
    wasToGoBack,
  };
}

/** To undo an undoing would roll forward again. */
function isLeftToTakeBack(record: AskedRollout): boolean {
  if (record.request.revert !== undefined) return false;
  const fates = new Map(listFates(record).map((one) => [one.endpointId, one]));
  return rolledBy(record).some(({ before, previousVersion }) => {
    const one = fates.get(before.endpointId);
    return previousVersion !== null && one !== undefined && isAway(one);
  });
}

/** Whether it may still be away from the version before. */
export function isAway({ fate, reason }: EndpointFate): boolean {
  if (fate === 'lost') return reason === 'failed' || reason === 'reverted';
  if (fate === 'kept') return !GONE.includes(reason);
  if (fate === 'not-back') return reason !== 'missing';
  return fate === 'live' || fate === 'in-mid-roll';
}

/** Reasons of stops that were kept back from what nobody can take back. */
const GONE: readonly (string | null)[] = ['vanished', 'stopped-already', 'moved'];

/** Whether another rollout to the same version would roll it. */
export function isLeft({ fate, reason }: EndpointFate): boolean {
  if (fate === 'lost') return LEFT.includes(reason);
  return fate !== 'live' && fate !== 'stopped';
}

/** The states of lost endpoints that another rollout would roll. */
const LEFT: readonly (string | null)[] = ['failed', 'reverted', 'taken-back'];

function forwardFate({ planned, state, roll, stop }: EndpointRow): EndpointFate {
  const id = idOf(planned);
  const isMoving = state === 'requested' || state === 'progressing';
  if (stop?.result === 'accepted') {
    return { ...id, fate: 'stopped', reason: isMoving ? 'in-mid-roll' : state };
  }
  if (stop !== null) return { ...id, ...stopFate(stop) };
  if (state === 'converged') return { ...id, fate: 'live', reason: null };
  if (roll?.result === 'rejected') return { ...id, fate: 'refused', reason: roll.reason ?? null };
  // An endpoint whose roll may have been sent is at least `requested`.
  if (state === 'pending') return { ...id, fate: 'not-rolled', reason: roll?.reason ?? null };
  return isMoving
    ? { ...id, fate: 'in-mid-roll', reason: null }
    : { ...id, fate: 'lost', reason: state };
}

function stopFate({ result, reason }: Pick<JournalEntry, 'result' | 'reason'>) {
  if (result === 'accepted') return { fate: 'stopped', reason: null } as const;
  return { fate: result === 'kept' ? 'kept' : 'stop-unsure', reason: reason ?? null } as const;
}

function backFate({ planned, state, roll }: EndpointRow, hasEnded: boolean): EndpointFate {
  const id = idOf(planned);
  if (state === 'converged') return { ...id, fate: 'back', reason: null };
  if (state === 'superseded') return { ...id, fate: 'lost', reason: state };
  if (!hasEnded) return { ...id, fate: 'in-mid-roll', reason: null };
  const isRefused = roll?.result === 'rejected';
  return { ...id, fate: 'not-back', reason: isRefused ? (roll.reason ?? null) : state };
}

function leftOutFate(endpoint: LeftOutEndpoint, journal: readonly JournalEntry[]): EndpointFate {
  if (endpoint.reason === 'stopped') {
    const stop = stopHistories(journal).get(endpoint.endpointId);
    return { ...idOf(endpoint), ...stopFate(stop?.last ?? { result: 'unknown' }) };
  }
  if (endpoint.reason === 'at-version') {
    return { ...idOf(endpoint), fate: 'lost', reason: 'taken-back' };
  }
  const isMoved = endpoint.reason === 'moved';
  return {
    ...idOf(endpoint),
    fate: isMoved ? 'lost' : 'not-back',
    reason: isMoved ? 'superseded' : endpoint.reason,
  };
}

function idOf(endpoint: Pick<PlannedEndpoint, 'name' | 'endpointId'>) {
  return { endpointId: endpoint.endpointId, name: nameOf(endpoint) };
}
