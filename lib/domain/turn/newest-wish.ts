/**
 * The newest wish of a runtime: of a rollout that waits for its turn, for a deployment window or for the one
 * that is under way, or of one that was opened. Times are milliseconds since the Unix epoch.
 */
export interface NewestWish {
  readonly runtimeId: string;
  readonly rolloutId: string;
  readonly desiredVersion: number;
  /** When it was started. */
  readonly at: number;
  /** Since when it has waited. */
  readonly since: number;
  /** When it looks again whether it may begin. `null`: it was opened. */
  readonly wakesAt: number | null;
}
