import { NO_ATTEMPTS, stopHistories } from '../endpoint/attempts.ts';
import type { PlannedEndpoint } from '../endpoint/endpoint.ts';
import { listNames } from '../endpoint/endpoint.ts';
import { hasConverged, type Observation } from '../endpoint/observation.ts';
import { rollHistories, wasSent } from '../endpoint/rolls.ts';
import { nounOf } from '../rollout/group.ts';
import type { LeftOutReason, RolloutPlan } from '../rollout/plan.ts';
import { type AskedRollout, progressOn } from '../rollout/record.ts';
import { describeWanted } from '../rollout/request.ts';
import { nameOf } from '../sentences.ts';

type Left = Pick<AskedRollout, 'request' | 'plan' | 'journal' | 'rollback' | 'progress'>;

/**
 * Where the endpoints of a plan are when its rollout ends, as far as the last look at the list and the writes tell:
 * ` Now 3 of 12 endpoints are on version 7, 8 on version 6, 1 is stopped.` It begins with a space. It is empty while
 * nothing was rolled.
 *
 * @param isOld Whether that look may be long ago. @default false
 */
export function describeWhereNow(record: Left, isOld = false): string {
  const [was, were] = isOld ? ['was', 'were'] : ['is', 'are'];
  const { plan, journal, request } = record;
  if (plan === null || ![...rollHistories(journal, 'forward').values()].some(wasSent)) return '';
  const wanted = describeWanted(request);
  const there = plan.leftOut.filter(({ reason }) => reason === 'at-version');
  const placeOf = placesOf(record);
  const places = [
    ...plan.endpoints.map((one, index) => ({ place: placeOf(one, index), one })),
    ...there.map((one) => ({ place: `on ${wanted}`, one })),
  ];
  // The version that was asked for comes first, then the others, then what is no version.
  const groups = [...Map.groupBy(places, ({ place }) => place)].toSorted(
    ([one], [other]) => rankOf(one, wanted) - rankOf(other, wanted),
  );
  const parts = groups.map(([place, own], index) => {
    const names = place.startsWith('on ')
      ? ''
      : ` (${listNames(own.map(({ one }) => nameOf(one)))})`;
    const noun = nounOf(request.runtimeId);
    const [only] = places;
    if (places.length === 1 && only) return `${nameOf(only.one)} ${was} ${place}`;
    if (groups.length === 1 && own.length > 1)
      return `all ${own.length} ${noun}s ${were} ${place}${names}`;
    const count = index === 0 ? `${own.length} of ${places.length} ${noun}s` : `${own.length}`;
    const is = index > 0 ? '' : own.length === 1 ? ` ${was}` : ` ${were}`;
    return `${count}${is} ${place}${names}`;
  });
  return ` ${isOld ? 'When last seen,' : 'Now'} ${parts.join(', ')}.`;
}

function rankOf(place: string, wanted: string): number {
  if (place === `on ${wanted}`) return 0;
  return place.startsWith('on ') ? 1 : 2;
}

/** Tells the place of each endpoint. What was written is read once for all of them. */
function placesOf(record: Left): (planned: PlannedEndpoint, index: number) => string {
  const { request, plan, journal, rollback } = record;
  const stops = stopHistories(journal);
  const rolls = rollHistories(journal, 'forward');
  const seen = plan === null ? [] : observationsOf(record, plan);
  const there = `on ${describeWanted(request)}`;
  const afterWayBack = rollback && placesAfterWayBack(record, rollback.plan, there);
  return (planned, index) => {
    const stop = stops.get(planned.endpointId)?.last;
    if (stop?.result === 'accepted') return 'stopped';
    const back = before(planned, request.runtimeId);
    if (afterWayBack) return afterWayBack(planned.endpointId, back);
    if (!wasSent(rolls.get(planned.endpointId) ?? NO_ATTEMPTS)) return back;
    const { state } = seen[index] ?? {};
    if (state === 'converged') return there;
    // The list that was read for its stop is the last one.
    if (stop?.reason === 'went-live' && state !== 'failed') return there;
    return KEPT[stop?.reason ?? ''] ?? stateOf(seen[index], back);
  };
}

function placesAfterWayBack(record: Left, plan: RolloutPlan, there: string) {
  const left = new Map(plan.leftOut.map(({ endpointId, reason }) => [endpointId, reason]));
  const seen = observationsOf(record, plan);
  const shown = new Map(plan.endpoints.map(({ endpointId }, place) => [endpointId, seen[place]]));
  const settled = new Set(plan.endpoints.filter(wasSettled).map(({ endpointId }) => endpointId));
  return (endpointId: string, back: string): string => {
    const reason = left.get(endpointId);
    if (reason !== undefined) return LEFT[reason] ?? back;
    // It was never rolled.
    if (!shown.has(endpointId)) return back;
    const last = shown.get(endpointId);
    if (last?.state === 'pending' && settled.has(endpointId)) return there;
    return last && hasConverged(last) ? back : stateOf(last, back);
  };
}

/** It was live on the version when its way back was planned. */
function wasSettled({ isBroken, isUnsettled }: PlannedEndpoint): boolean {
  return isBroken !== true && isUnsettled !== true;
}

/** What a way back leaves out, unless it is back already. */
const LEFT: Readonly<Partial<Record<LeftOutReason, string>>> = {
  'previous-unknown': 'left as it is',
  moved: 'elsewhere',
  stopped: 'asked to stop',
};

function observationsOf(record: Left, plan: RolloutPlan): readonly Observation[] {
  return progressOn(record, plan)?.observations ?? [];
}

/** What the list showed that kept a stop back. */
const KEPT: Readonly<Record<string, string>> = {
  'never-seen-moving': 'in doubt',
  recovering: 'in mid-roll',
  vanished: 'gone',
  moved: 'elsewhere',
  'stopped-already': 'stopped',
};

/** Where it was before the rollout. The endpoints of a runtime may have had several versions. */
function before({ previousVersion }: PlannedEndpoint, runtimeId: string): string {
  if (previousVersion !== null && previousVersion >= 1) return `on version ${previousVersion}`;
  return nounOf(runtimeId) === 'runtime' ? 'on the versions before' : 'on no version';
}

function stateOf(seen: Observation | undefined, back: string): string {
  switch (seen?.state) {
    case 'failed':
      return 'in a failed state';
    case 'missing':
      return 'gone';
    case 'superseded':
    case 'reverted':
      return 'elsewhere';
    case 'taken-back':
      return back;
    default:
      return 'in mid-roll';
  }
}
