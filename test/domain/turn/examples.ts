import { WEEKDAYS } from '../../../lib/domain/local-time.ts';
import type { DeploymentWindow, Freeze } from '../../../lib/domain/rollout/policy.ts';

export function openWindow(said: Partial<DeploymentWindow> = {}): DeploymentWindow {
  return { days: WEEKDAYS, from: '09:00', to: '16:00', timeZone: 'UTC', ...said };
}

export function freeze(from: string, to: string, said: Partial<Freeze> = {}): Freeze {
  return { from, to, timeZone: 'UTC', ...said };
}

/** Milliseconds since the Unix epoch of a time in UTC: `2026-11-23T09:00`. */
export function utc(text: string): number {
  return Date.parse(`${text}Z`);
}
