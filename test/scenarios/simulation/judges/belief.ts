import type { Endpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isAnsweredOddly, type Ordeal } from '../ordeal.ts';
import { shortestMinuteMs } from './time.ts';

/**
 * Who ends with all endpoints where they were to go has a proof for each of them: the answer to its roll, a read that
 * shows it on its way, or reads that show it there for a minute.
 */
export function oldIsNotBelieved({ clock, wire }: Ordeal, run: ScenarioResult): string[] {
  if (isAnsweredOddly(wire)) return [];
  const { record, outcome, calls, turnedAt } = run;
  const isBack = record?.rollback != null;
  const isThere = isBack ? outcome.cleanup === 'rolledBack' : outcome.reason === 'Converged';
  if (record?.plan == null || !isThere) return [];
  const { endpoints } = record.rollback?.plan ?? record.plan;
  const since = isBack ? (turnedAt ?? 0) : 0;
  const watched = calls.filter(({ at }) => at >= since);
  const isOurs = (index: number) => record.progress?.observations[index]?.state === 'converged';
  return endpoints
    .filter((planned, index) => isOurs(index) && planned.previousTarget !== planned.desiredVersion)
    .filter(({ endpointId, desiredVersion, previousVersion }) => {
      const rows = watched.filter(isList).flatMap(({ at, endpoints: listed }) => {
        const row = listed?.find(({ id }) => id === endpointId);
        return row === undefined ? [] : [{ ...row, at }];
      });
      const isAccepted = watched.some(
        (call) =>
          isWrite(call) &&
          call.endpointId === endpointId &&
          call.version === desiredVersion &&
          call.answer === 'accepted',
      );
      const isToldSo = record.journal.some(
        (line) =>
          line.endpointId === endpointId &&
          line.operation === (isBack ? 'roll-back' : 'roll') &&
          line.result === 'accepted' &&
          (!isBack || line.reason === 'target-taken'),
      );
      // What had no version, or that very one, shows nothing by still having it.
      const tells = previousVersion !== null && previousVersion !== desiredVersion;
      const isOnItsWay = rows.some(
        (one) =>
          tells && one.targetVersion === desiredVersion && one.liveVersion === previousVersion,
      );
      // A read of the target that does not say what is live says nothing against it.
      const isShown = ({ targetVersion, liveVersion }: Endpoint) =>
        targetVersion === desiredVersion && [desiredVersion, null, 0].includes(liveVersion);
      const isLong = rows.some((first, nth) => {
        const end = rows.findIndex((row, later) => later >= nth && !isShown(row));
        const there = rows.slice(nth, end < 0 ? rows.length : end);
        return (
          there.length >= 3 &&
          (there.at(-1)?.at ?? 0) - first.at >= shortestMinuteMs(clock) - SLACK_MS
        );
      });
      return !(isAccepted && isToldSo) && !isOnItsWay && !isLong;
    })
    .map(({ name }) => `${name} was believed to be there, and nothing has proved it`);
}

/** From the start of a call to its answer. */
const SLACK_MS = 5000;
