import { NO_ATTEMPTS, stopHistories } from '../endpoint/attempts.ts';
import type { PlannedEndpoint } from '../endpoint/endpoint.ts';
import { listNames } from '../endpoint/endpoint.ts';
import { hasConverged, type Observation } from '../endpoint/observation.ts';
import { rollHistories, wasSent } from '../endpoint/rolls.ts';
import { nounOf } from '../rollout/group.ts';
import type { LeftOutReason, RolloutPlan } from '../rollout/plan.ts';
import { type AskedRollout, progressOn } from '../rollout/record.ts';
import { describeWanted } from '../rollout/request.ts';

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
  const places = [
    ...plan.endpoints.map((one, index) => ({ place: placeOf(one, index, record), one })),
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

function nameOf({ name, endpointId }: Pick<PlannedEndpoint, 'name' | 'endpointId'>): string {
  return name ?? endpointId;
}

function placeOf(planned: PlannedEndpoint, index: number, record: Left): string {
  const stop = stopHistories(record.journal).get(planned.endpointId)?.last;
  if (stop?.result === 'accepted') return 'stopped';
  const back = before(planned, record.request.runtimeId);
  if (record.rollback !== null)
    return placeAfterWayBack(planned, back, record.rollback.plan, record);
  const roll = rollHistories(record.journal, 'forward').get(planned.endpointId) ?? NO_ATTEMPTS;
  if (!wasSent(roll)) return back;
  const seen = record.plan === null ? undefined : observed(record, record.plan, index);
  const there = `on ${describeWanted(record.request)}`;
  if (seen?.state === 'converged') return there;
  // The list that was read for its stop is the last one.
  if (stop?.reason === 'went-live' && seen?.state !== 'failed') return there;
  return KEPT[stop?.reason ?? ''] ?? stateOf(seen, back);
}

function placeAfterWayBack(
  { endpointId }: PlannedEndpoint,
  back: string,
  { endpoints, leftOut }: RolloutPlan,
  record: Left,
): string {
  const left = leftOut.find((one) => one.endpointId === endpointId);
  if (left !== undefined) return LEFT[left.reason] ?? back;
  const place = endpoints.findIndex((one) => one.endpointId === endpointId);
  // It was never rolled.
  if (place === -1) return back;
  const plan = record.rollback?.plan;
  const seen = plan && observed(record, plan, place);
  return seen && hasConverged(seen) ? back : stateOf(seen, back);
}

/** What a way back leaves out, unless it is back already. */
const LEFT: Readonly<Partial<Record<LeftOutReason, string>>> = {
  'previous-unknown': 'left as it is',
  moved: 'elsewhere',
  stopped: 'asked to stop',
};

function observed(record: Left, plan: RolloutPlan, index: number): Observation | undefined {
  return progressOn(record, plan)?.observations[index];
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
      return 'failed';
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
