/** What asks for a rollout by itself: a release event or a schedule. It says what, never how. */
export interface Trigger {
  readonly kind: 'release' | 'schedule';
  /** The same for every delivery of one trigger, and for no other trigger of its kind. */
  readonly key: string;
  /** When the event was sent or the schedule was due, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Id of the release, or name of the release source or the schedule. */
  readonly name: string;
  /** Milliseconds that it may be late by its own flexible window. */
  readonly windowMs: number;
  /** Seconds after which it is too late. @default - as the rules say */
  readonly maxAgeSeconds?: number;
  readonly runtimeId: string;
  readonly wanted: WantedVersion;
}

/** A version, or the one that is live on an endpoint of the runtime, by name or id. */
export type WantedVersion =
  | { readonly version: number }
  | { readonly versionFrom: { readonly endpoint: string } };
