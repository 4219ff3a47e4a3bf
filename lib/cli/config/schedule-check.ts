import { expressionOf, type RolloutSchedule, rolledBy } from '../../contract/config/schedules.ts';
import { unlistable } from '../../domain/planning/abilities.ts';
import { findVersion, unknownVersion } from '../../domain/planning/find-version.ts';
import { resolveVersion } from '../../domain/planning/version.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { LATEST } from '../../domain/rollout/request.ts';
import { decideWindow, describeTime } from '../../domain/turn/window.ts';
import { nextTime, timeOf } from '../../listener/next-time.ts';
import { type Read, sentenceOf } from './lists.ts';
import type { Check } from './tried.ts';

export function scheduleCheck(
  schedule: RolloutSchedule,
  policy: RolloutPolicy,
  read: Read | undefined,
  now: number,
): Check {
  const { name, timeZone = 'UTC' } = schedule;
  const about = { check: 'schedule', of: name } as const;
  const what = `${rolledBy(schedule)}, ${expressionOf(schedule)}`;
  const fault = faultOfVersion(schedule, policy, read);
  if (fault !== null) return { ...about, result: 'fault', message: `${what}: ${fault}` };
  if (schedule.rate !== undefined)
    return { ...about, result: 'ok', message: `${what}: ${OF_RATE}` };
  const next = nextTime(schedule, now, now);
  if (next === null) {
    const over = schedule.at === undefined ? null : timeOf(schedule.at, timeZone);
    const why =
      over === null
        ? 'it is never due, because no clock shows it.'
        : 'it was due, and starts nothing any more.';
    return { ...about, result: 'fault', message: `${what}: ${why}` };
  }
  const due = `${what}: next at ${describeTime(next, timeZone)}`;
  const window = decideWindow(policy, next);
  if (window.decision === 'go') return { ...about, result: 'ok', message: `${due}.`, next };
  const result = window.decision === 'wait' ? 'ok' : 'fault';
  return { ...about, result, message: `${due}. ${window.message}`, next };
}

const OF_RATE = 'counted from its deployment, or from the first listener that runs for it.';

/** Why the version of a schedule cannot be rolled now, in a sentence. `null`: it can, or nobody knows. */
function faultOfVersion(
  { version, versionFrom }: RolloutSchedule,
  { statuses }: RolloutPolicy,
  read: Read | undefined,
): string | null {
  if (read === undefined || 'error' in read) return null;
  const { endpoints, versions } = read;
  try {
    if (versionFrom !== undefined) {
      resolveVersion(endpoints, versionFrom.endpoint, statuses);
    } else if (versions === null) {
      if (version === LATEST) throw unlistable();
    } else if (version !== undefined && 'versions' in versions) {
      const found = findVersion(versions.versions, version);
      if (found.state === 'none') throw unknownVersion(found);
    }
    return null;
  } catch (error) {
    return sentenceOf(error);
  }
}
