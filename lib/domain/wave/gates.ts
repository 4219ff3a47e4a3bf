/**
 * What a gate answered. Silence is not a yes: after `unknown` the gate is asked again until the progress deadline.
 */
export interface GateReading {
  /** Name of the endpoint that was probed, of the alarm, or of the metric and its endpoint. */
  readonly name: string;
  readonly kind: 'probe' | 'alarm' | 'metric';
  readonly verdict: 'pass' | 'fail' | 'unknown';
  /** The answer of the gate, in words. */
  readonly detail: string;
}
