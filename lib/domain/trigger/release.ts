import { entryOf } from '../keyed.ts';
import type { AskedVersion } from '../rollout/request.ts';

/** A release event says that a version of a runtime, or of the runtimes of a group, exists. */
export type Release = ({ readonly runtimeId: string } | { readonly group: string }) & {
  readonly version: AskedVersion;
  /** The sender's own name for the release; it may come twice. */
  readonly releaseId: string;
};

/** The event that announces a release. It is the only one on steproll's bus that starts a rollout. */
export const RELEASE_EVENT = {
  source: 'steproll.release',
  detailType: 'Release Published',
} as const;

/** The source of the events about a rollout's course. They must never start a rollout. */
export const LIFECYCLE_SOURCE = 'steproll';

/** Whether a source is one of steproll's own. No configured pattern may name such a source. */
export function isOwnSource(source: string): boolean {
  return source === LIFECYCLE_SOURCE || source.startsWith(`${LIFECYCLE_SOURCE}.`);
}

/** The value in an event under a path of keys, such as `detail.image-tag`; `undefined` when there is none. */
export function valueAt(event: unknown, path: string): unknown {
  return path.split('.').reduce(ownValue, event);
}

function ownValue(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? entryOf(value as Record<string, unknown>, key)
    : undefined;
}

/** No leading zero is allowed: a number with one is a date or a commit, not a version. */
const VERSION_TEXT = /^v?([1-9]\d{0,15})$/;

/** The version in another system's event: `7`, `"7"` and `"v7"` all mean 7. `null` for anything else. */
export function versionIn(value: unknown): number | null {
  const version = typeof value === 'string' ? Number(VERSION_TEXT.exec(value)?.[1]) : value;
  return Number.isSafeInteger(version) && (version as number) >= 1 ? (version as number) : null;
}
