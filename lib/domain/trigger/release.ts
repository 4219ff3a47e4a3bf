/** What a release event says: that a version of a runtime is there. */
export interface Release {
  readonly runtimeId: string;
  /** At least 1. */
  readonly version: number;
  /** The sender's own name for the release; it may come twice. */
  readonly releaseId: string;
}

/** The event that announces a release. It is the only one on steproll's bus that starts a rollout. */
export const RELEASE_EVENT = {
  source: 'steproll.release',
  detailType: 'Release Published',
} as const;

/** Source of the events that tell what becomes of a rollout. They must never start one. */
export const LIFECYCLE_SOURCE = 'steproll';

/** Whether a source is one of steproll's own: no configured pattern may name it. */
export function isOwnSource(source: string): boolean {
  return source === LIFECYCLE_SOURCE || source.startsWith(`${LIFECYCLE_SOURCE}.`);
}

/** What is in an event under a path of keys, `detail.image-tag`; `undefined` where there is nothing. */
export function valueAt(event: unknown, path: string): unknown {
  return path.split('.').reduce(ownValue, event);
}

function ownValue(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

/** No leading zero: what has one is a date or a commit, not a version. */
const VERSION_TEXT = /^v?([1-9]\d{0,15})$/;

/**
 * The version in a value from somebody else's event, where it may be text: `7`, `"7"` and `"v7"` are 7.
 * `null` for anything else.
 */
export function versionIn(value: unknown): number | null {
  const version = typeof value === 'string' ? Number(VERSION_TEXT.exec(value)?.[1]) : value;
  return Number.isSafeInteger(version) && (version as number) >= 1 ? (version as number) : null;
}
