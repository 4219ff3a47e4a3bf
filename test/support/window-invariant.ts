import type { DeploymentWindow, RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import type { Trace } from './invariants.ts';
import { isRollBack } from './read-evidence.ts';

/** What was decided while a window was open is sent within this time. */
const SENT_WITHIN_MS = 10_000;

/** Judges windows and freezes in UTC alone, which needs no zones: what clocks show is the matter of other tests. */
export function rollsStayInWindows({ calls, record, turnedAt, isClockWrong }: Trace): string[] {
  const plan = record?.plan;
  if (!plan || isClockWrong) return [];
  const { policy } = record.request;
  return calls.flatMap((call) => {
    if (call.operation !== 'roll' || isRollBack(call, record, turnedAt)) return [];
    const place = plan.endpoints.findIndex(({ endpointId }) => endpointId === call.endpointId);
    const own = plan.waves.find(({ to }) => place < to)?.windows ?? [];
    const isHeld = (at: number) => !isOpen(own, at) || isBoundAt(policy, at);
    return isHeld(call.at) && isHeld(call.at - SENT_WITHIN_MS)
      ? [
          `${call.endpointId} was rolled at ${new Date(call.at).toISOString()}, outside of its windows`,
        ]
      : [];
  });
}

function isBoundAt({ windowsBind, windows, freezes }: RolloutPolicy, at: number): boolean {
  if (windowsBind !== 'rolls') return false;
  const text = new Date(at).toISOString();
  const isFrozen = freezes.some(
    ({ from, to, timeZone }) => timeZone === 'UTC' && from <= text && text < to,
  );
  return isFrozen || !isOpen(windows, at);
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
const DAY_MS = 24 * 3_600_000;

function isOpen(windows: readonly DeploymentWindow[], at: number): boolean {
  if (windows.length === 0 || windows.some(({ timeZone }) => timeZone !== 'UTC')) return true;
  return windows.some(({ days, from, to }) => {
    const lastsMs = (msOf(to) - msOf(from) + DAY_MS) % DAY_MS || DAY_MS;
    // It may have opened today or yesterday.
    return [0, 1].some((back) => {
      const midnight = Math.floor(at / DAY_MS) * DAY_MS - back * DAY_MS;
      const opened = midnight + msOf(from);
      const day = DAYS[new Date(midnight).getUTCDay()];
      return days.some((one) => one === day) && opened <= at && at < opened + lastsMs;
    });
  });
}

function msOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}
