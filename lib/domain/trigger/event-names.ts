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
