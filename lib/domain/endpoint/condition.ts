/** What may be wrong with an endpoint whatever its version: a failed status, or 0 replicas. */
export const TROUBLES = ['failed', 'dark'] as const;
export type Trouble = (typeof TROUBLES)[number];

/**
 * How the way forward has left an endpoint that is not live on the version.
 * - `broken`: it had failed, or was gone. It is rolled back at once, and may stay broken.
 * - `unsettled`: neither, so it may be lost on the way.
 */
export const LEFT_AS = ['broken', 'unsettled'] as const;
export type LeftAs = (typeof LEFT_AS)[number];
