import type { Fault } from '../contract/scenario.ts';

/** What the world remembers of an endpoint. All the rest follows from it and the time. */
export interface EndpointRecord {
  readonly id: string;
  readonly runtimeId: string;
  readonly name: string;
  readonly replicas: number;
  readonly rollSeconds: number;
  readonly faults: readonly Fault[];
  /** Live when the last roll began, 0 before the first version is live. */
  readonly restingVersion: number;
  readonly roll: Roll | null;
  /** Milliseconds since the Unix epoch, as are all times here. */
  readonly createdAt: number;
  readonly stoppedAt: number | null;
}

export interface Roll {
  readonly version: number;
  readonly startedAt: number;
}

/** The first fault of this kind that a roll to this version meets. */
export function faultOf<K extends Fault['kind']>(
  { faults }: Pick<EndpointRecord, 'faults'>,
  kind: K,
  version: number,
): Extract<Fault, { kind: K }> | undefined {
  return faults.find(
    (fault): fault is Extract<Fault, { kind: K }> =>
      fault.kind === kind && (fault.version === undefined || fault.version === version),
  );
}
