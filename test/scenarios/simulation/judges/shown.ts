import type { Endpoint, PlannedEndpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import type { EndpointState } from '../../../../lib/domain/endpoint/observation.ts';
import type { AskedRollout } from '../../../../lib/domain/rollout/record.ts';
import { type Call, isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import { byId, isForeign, isRollBack, isWhole, wasAtWork } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { atTarget, isBad } from '../foreseen/look.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';

/** What the record says of each endpoint is what the list of the last look shows, as far as one list can tell. */
export function lastLookIsShown(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls } = run;
  const { plan: forward, progress, rollback } = record ?? {};
  if (record === null || forward == null || progress == null) return [];
  if (!isSteady(ordeal) || ordeal.policy.statuses !== undefined) return [];
  const isBack = progress.direction === 'back';
  const planned = (isBack ? rollback?.plan : forward)?.endpoints ?? [];
  // Of the lists of that moment, the others are those for the writes that follow.
  const nth = calls.findIndex(
    (call) => isList(call) && call.at === progress.readAt && isWhole(call, { plan: forward }),
  );
  const look = calls[nth];
  if (look === undefined || !isList(look)) return [];
  const rows = byId(look.endpoints ?? []);
  return progress.observations.flatMap(({ state }, index) => {
    const one = planned[index];
    if (one === undefined) return [];
    const seen = { planned: one, isBack, record, calls: callsOf(one, isBack, nth, run) };
    const row = rows.get(one.endpointId);
    const mayBe = isPossible(state, row, seen);
    const has = stateBy(row, seen);
    // Who was moved once is not ours any more, whatever else it shows.
    const isTrue = mayBe && (has === null || has === state || isForGood(state));
    const shows = `${row?.status} on ${row?.liveVersion} to ${row?.targetVersion}`;
    return isTrue ? [] : [`${one.name} is shown as ${state}, and was seen ${shows}`];
  });
}

function isForGood(state: EndpointState): boolean {
  return state === 'superseded' || state === 'taken-back';
}

interface Seen {
  readonly planned: PlannedEndpoint;
  readonly isBack: boolean;
  readonly record: AskedRollout;
  /** Up to the look: the lists, and the rolls of this endpoint in this direction. */
  readonly calls: readonly Call[];
}

function callsOf(
  { endpointId }: PlannedEndpoint,
  isBack: boolean,
  look: number,
  { record, calls, turnedAt }: ScenarioResult,
): readonly Call[] {
  const since = isBack ? (turnedAt ?? 0) : 0;
  return calls.slice(0, look + 1).filter((call) => {
    if (isList(call)) return call.at >= since;
    if (!isWrite(call) || call.operation !== 'roll' || call.endpointId !== endpointId) return false;
    return record !== null && isRollBack(call, record, turnedAt) === isBack;
  });
}

/** `null`: it takes more than this list to say. */
function stateBy(row: Endpoint | undefined, seen: Seen): EndpointState | null {
  const { planned, isBack, calls } = seen;
  if (row === undefined) return 'missing';
  if (isForeign(row, planned)) return 'superseded';
  const rolls = calls.filter(isWrite);
  const [roll] = rolls;
  const isClear = rolls.length < 2 && ANSWERS.has(roll?.answer ?? 'accepted');
  const { desiredVersion, previousVersion } = planned;
  const isKnown = [row.targetVersion, row.liveVersion].every((version) =>
    [desiredVersion, previousVersion].includes(version ?? 0),
  );
  if (isKnown && isAtStop(row)) return isBack ? 'superseded' : 'failed';
  if (!isClear || !isKnown) return null;
  if (row.targetVersion !== desiredVersion) return stateBefore(roll?.answer, seen);
  const state = roll?.answer === 'accepted' ? atTarget(row, planned, isBack) : null;
  return state === 'converged' && isBack && !isAnswered(seen) ? null : state;
}

/** Its target is that of before. */
function stateBefore(answer: string | undefined, seen: Seen): EndpointState | null {
  if (answer === undefined) return hadTarget(seen) ? null : 'pending';
  if (answer === 'accepted') return null;
  const [roll] = seen.calls.filter(isWrite);
  const isForNow = roll !== undefined && wasAtWork(seen.calls, roll.endpointId, roll.at);
  return isForNow ? 'pending' : 'failed';
}

const ANSWERS: ReadonlySet<string> = new Set(['accepted', 'UpstreamRejected']);

/** Whether a list of this look can come to be told so. */
function isPossible(state: EndpointState, row: Endpoint | undefined, seen: Seen): boolean {
  const { planned, calls } = seen;
  const { desiredVersion } = planned;
  switch (state) {
    case 'missing':
      return row === undefined;
    case 'converged': {
      const known = [row?.targetVersion, row?.liveVersion].filter((one) => one !== null);
      return known.every((version) => version === desiredVersion);
    }
    case 'failed': {
      const isRefused = calls.some((call) => isWrite(call) && call.answer !== 'accepted');
      const isRepeated = calls.filter(isWrite).length > 1;
      return row !== undefined && (isBad(row) || isAtStop(row) || isRefused || isRepeated);
    }
    case 'reverted':
      return row?.targetVersion !== desiredVersion && (hadTarget(seen) || isAnswered(seen));
    case 'taken-back':
      return !seen.isBack && (hadTarget(seen) || isAnswered(seen));
    case 'superseded':
      return isTheirs(seen);
    default:
      return row !== undefined;
  }
}

/** Its service's answer to the roll showed the target. */
function isAnswered({ planned, isBack, record }: Seen): boolean {
  return record.journal.some(
    ({ endpointId, operation, result, reason }) =>
      endpointId === planned.endpointId &&
      operation === (isBack ? 'roll-back' : 'roll') &&
      result === 'accepted' &&
      reason === 'target-taken',
  );
}

function hadTarget(seen: Seen): boolean {
  return rowsOf(seen).some(({ targetVersion }) => targetVersion === seen.planned.desiredVersion);
}

function rowsOf({ planned, calls }: Seen): (Endpoint & { readonly at: number })[] {
  return calls.filter(isList).flatMap(({ at, endpoints }) => {
    const row = byId(endpoints ?? []).get(planned.endpointId);
    return row === undefined ? [] : [{ ...row, at }];
  });
}

/** Somebody else moved it: a list showed it elsewhere, or for a minute and three lists at an earlier target again. */
function isTheirs(seen: Seen): boolean {
  const { planned, isBack } = seen;
  const rows = rowsOf(seen);
  const rolledAt = isAnswered(seen) ? seen.calls.find(isWrite)?.at : undefined;
  const shown = rows.find(({ targetVersion }) => targetVersion === planned.desiredVersion);
  const since = Math.min(...[rolledAt, shown?.at].filter((at) => at !== undefined));
  const back = rows.filter(
    ({ at, targetVersion }) =>
      at >= since && ![null, planned.desiredVersion].includes(targetVersion),
  );
  const isLong = back.length >= 3 && (back.at(-1)?.at ?? 0) - (back[0]?.at ?? 0) >= A_MINUTE_MS;
  return isLong || rows.some((row) => isForeign(row, planned) || (isBack && isAtStop(row)));
}

const A_MINUTE_MS = 60_000;

function isAtStop({ status }: Endpoint): boolean {
  return status === 'STOPPED' || status === 'STOPPING';
}
