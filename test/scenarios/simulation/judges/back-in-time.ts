import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import { byId, isBad, isRollBack } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal, toleratesLosses } from '../ordeal.ts';
import { confirmedIn } from './in-bake.ts';

/** From the look that confirms it to the first roll back, unless anything is to be waited for. */
export function goesBackInTime(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls, turnedAt } = run;
  const { lists, writes, people, guises, wire, held, earlier, ahead, latencyMs } = ordeal;
  const isClear = [lists, writes, people, guises].every(({ length }) => length === 0);
  const isAlone = [wire, earlier, ahead].every((one) => one === null) && held === undefined;
  if (record === null || turnedAt === null || !isClear || !isAlone) return [];
  if (!isSteady(ordeal) || toleratesLosses(ordeal)) return [];
  const back = calls.filter(isWrite).find((write) => isRollBack(write, record, turnedAt));
  const sign = Math.min(...confirmedIn(record, run), ...confirmedFailures(run));
  const seconds = ((back?.at ?? 0) - sign) / 1000;
  return seconds > LONGEST_SECONDS + (10 * latencyMs) / 1000
    ? [`a look had confirmed that its version is bad, and it went back ${seconds} s later`]
    : [];
}

const LONGEST_SECONDS = 10;

/** When a second list in a row has shown an endpoint failed with the version live on it. */
function confirmedFailures({ calls, record }: ScenarioResult): readonly number[] {
  const lists = calls.filter(isList);
  return (record?.plan?.endpoints ?? []).flatMap(({ endpointId, desiredVersion, wrongBefore }) => {
    const second = lists.find((list, index) =>
      [lists[index - 1], list].every((one) => {
        const row = byId(one?.endpoints ?? []).get(endpointId);
        return row?.liveVersion === desiredVersion && isBad(row);
      }),
    );
    return second === undefined || wrongBefore.includes('failed') ? [] : [second.at];
  });
}
