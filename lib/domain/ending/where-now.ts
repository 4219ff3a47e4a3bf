import { listNames, type PlannedEndpoint } from '../endpoint/endpoint.ts';
import { rollHistories, wasSent } from '../endpoint/rolls.ts';
import { nounOf } from '../rollout/group.ts';
import type { AskedRollout } from '../rollout/record.ts';
import { describeWanted } from '../rollout/request.ts';
import { nameOf } from '../sentences.ts';
import { listFates } from './fate.ts';

type Left = Pick<AskedRollout, 'request' | 'plan' | 'journal' | 'rollback' | 'progress'>;

/**
 * Where the endpoints of a plan are when its rollout ends, as far as the last look at the list and the writes tell:
 * ` At its end, 3 of 12 endpoints were on version 7, 8 on version 6, 1 stopped.` It begins with a space. It is empty while
 * nothing was rolled.
 *
 * @param isOld Whether that look may be long ago. @default false
 */
export function describeWhereNow(record: Left, isOld = false): string {
  const [was, were] = ['was', 'were'];
  const { plan, journal, request } = record;
  if (plan === null || ![...rollHistories(journal, 'forward').values()].some(wasSent)) return '';
  const wanted = describeWanted(request);
  const there = plan.leftOut.filter(({ reason }) => reason === 'at-version');
  const fates = new Map(listFates(record, true).map((one) => [one.endpointId, one.place]));
  const placeOf = (one: PlannedEndpoint) => {
    const place = fates.get(one.endpointId) ?? 'previous';
    if (place === 'desired') return `on ${wanted}`;
    return place === 'previous' ? before(one, request.runtimeId) : place;
  };
  const places = [
    ...plan.endpoints.map((one) => ({ place: placeOf(one), one })),
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
  return ` ${isOld ? 'When last seen,' : 'At its end,'} ${parts.join(', ')}.`;
}

function rankOf(place: string, wanted: string): number {
  if (place === `on ${wanted}`) return 0;
  return place.startsWith('on ') ? 1 : 2;
}

/** Where it was before the rollout. The endpoints of a runtime may have had several versions. */
function before(
  { previousVersion }: Pick<PlannedEndpoint, 'previousVersion'>,
  runtimeId: string,
): string {
  if (previousVersion !== null && previousVersion >= 1) return `on version ${previousVersion}`;
  return nounOf(runtimeId) === 'runtime' ? 'on the versions before' : 'on no version';
}
