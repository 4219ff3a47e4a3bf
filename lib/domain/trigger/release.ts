/** What a release event says: that a version of a runtime is there. */
export interface Release {
  readonly runtimeId: string;
  /** At least 1. */
  readonly version: number;
  /** The sender's own name for the release; it may come twice. */
  readonly releaseId: string;
}
