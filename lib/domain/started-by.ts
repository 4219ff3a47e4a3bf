export const STARTER_KINDS = ['release', 'schedule', 'person'] as const;

/** Who or what started a rollout. */
export interface StartedBy {
  readonly kind: (typeof STARTER_KINDS)[number];
  /** Id of the release, name of the schedule, or of the person; `''`: nobody said. */
  readonly name: string;
  /** When, in milliseconds since the Unix epoch: the later one of two is the newer wish. */
  readonly at: number;
}
