import { CONTAINMENTS } from '../../domain/containment/failure-policies.ts';
import { type EndpointFate, FATES, isOutOfReach, listFates } from '../../domain/ending/fate.ts';
import type { EndpointState } from '../../domain/endpoint/observation.ts';
import { rolledBy } from '../../domain/planning/undo.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { listLives } from './lives.ts';

/** Endpoints of the same fate, of which the service says the same. */
export interface FateGroup extends Pick<EndpointFate, 'fate' | 'reason' | 'statusReason'> {
  /** The names of the endpoints, in the order of the plan. An endpoint without a name goes by its id. */
  readonly names: readonly string[];
  /** Since when that endpoint of them has not changed that has not for the longest time. `null`: not known. */
  readonly since: { readonly name: string; readonly at: number } | null;
}

/** Every endpoint of the rollout's plan, in groups of the same fate. The worst fate comes first. */
export function groupByFate(record: AskedRollout): FateGroup[] {
  const lives = listLives(record);
  const groups = Map.groupBy(listFates(record), ({ fate, reason, statusReason }) =>
    JSON.stringify([fate, reason, statusReason]),
  );
  return [...groups.values()]
    .map((group) => {
      const { fate, reason, statusReason } = group[0] as EndpointFate;
      const changes = group.flatMap(({ endpointId, name }) => {
        const at = lives.get(endpointId)?.at(-1)?.at;
        return at === undefined ? [] : [{ name, at }];
      });
      const since = changes.reduce<FateGroup['since']>(
        (first, one) => (first === null || one.at < first.at ? one : first),
        null,
      );
      return { fate, reason, statusReason, names: group.map(({ name }) => name), since };
    })
    .sort((a, b) => FATES.indexOf(a.fate) - FATES.indexOf(b.fate));
}

/** What is left to do after a rollout: by another one to the same version, and by one that undoes it. */
export interface LeftToDo {
  /**
   * `unplanned`: it had no plan yet. `nothing`: every endpoint of its plan is live on the version, stopped, gone from
   * the list or in the hands of somebody else.
   */
  readonly toRoll: 'unplanned' | 'something' | 'nothing';
  /** Whether it has rolled something that may still be away from the version before. */
  readonly toTakeBack: boolean;
  /** Whether it had told that what it rolled goes back, whatever became of that. */
  readonly wasToGoBack: boolean;
}

export function leftToDo(record: AskedRollout): LeftToDo {
  const wasToGoBack = record.events.some((event) => {
    return event.kind === 'failing' && CONTAINMENTS[event.onFailure].write === 'roll-back';
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
  return rolledAway(record).some(({ previousVersion }) => previousVersion !== null);
}

/** What it rolled and what may still be away from the version before. */
export function rolledAway(record: AskedRollout) {
  const away = new Set(listFates(record).flatMap((one) => (isAway(one) ? [one.endpointId] : [])));
  return rolledBy(record).filter(({ before }) => away.has(before.endpointId));
}

function isAway({ fate, reason }: EndpointFate): boolean {
  if (fate === 'lost') return reason === 'failed' || reason === 'reverted';
  if (fate === 'kept') return !isOutOfReach(reason ?? '');
  if (fate === 'not-back') return reason !== 'missing';
  return fate === 'live' || fate === 'in-mid-roll';
}

/** Whether another rollout to the same version would roll it. */
export function isLeft({ fate, reason }: EndpointFate): boolean {
  if (fate === 'lost') return LEFT.has(reason);
  return fate !== 'live' && fate !== 'stopped';
}

/** The states of lost endpoints that another rollout would roll. */
const LEFT: ReadonlySet<string | null> = new Set<EndpointState>([
  'failed',
  'reverted',
  'taken-back',
]);
