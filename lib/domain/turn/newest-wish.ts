/**
 * The newest wish of a runtime of a service: of a rollout that waits for its turn, for a deployment window or
 * for the one that is under way, or of one that was opened. Times are milliseconds since the Unix epoch.
 */
export interface NewestWish {
  readonly runtimeId: string;
  /** Base URL of the service that has the runtime: others may have one of the same id. */
  readonly endpointUrl: string;
  readonly rolloutId: string;
  readonly desiredVersion: number;
  /** When it was started. */
  readonly at: number;
  /** When it looks again whether it may begin. `null`: it was opened. */
  readonly wakesAt: number | null;
}
