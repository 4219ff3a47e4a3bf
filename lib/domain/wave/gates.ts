/** What a gate said. Silence is not a yes: `unknown` is asked again until the progress deadline. */
export interface GateReading {
  /** Of the endpoint that was probed, or of the alarm. */
  readonly name: string;
  readonly kind: 'probe' | 'alarm';
  readonly verdict: 'pass' | 'fail' | 'unknown';
  /** What it answered. */
  readonly detail: string;
}
