import type { Endpoint } from '../domain/endpoint/endpoint.ts';

/** What a rollout asked of the service, in order. Times are milliseconds since the Unix epoch. */
export type Call = ListCall | WriteCall | CloseCall;

interface AnyCall {
  readonly rolloutId: string;
  readonly at: number;
}

/** Noted when it is answered. */
export interface ListCall extends AnyCall {
  readonly operation: 'list';
  /** As the rollout saw them; `null` when the read failed. */
  readonly endpoints: readonly Endpoint[] | null;
}

/** Noted when it is sent. */
export interface WriteCall extends AnyCall {
  readonly operation: 'roll' | 'stop';
  readonly endpointId: string;
  /** Only for a roll. */
  readonly version?: number;
  /** Only for a roll of a service that repeats rolls. */
  readonly token?: string;
  /** What the rollout was told; `undefined` until then. */
  answer?: 'accepted' | string;
}

/** The rollout's outcome was stored and its lease given back. */
export interface CloseCall extends AnyCall {
  readonly operation: 'close';
}

/** What a rollout asked of the service: its end is the ledger's. */
export function isSent(call: Call): call is ListCall | WriteCall {
  return call.operation !== 'close';
}

export function isList(call: Call): call is ListCall {
  return call.operation === 'list';
}

export function isWrite(call: Call): call is WriteCall {
  return call.operation === 'roll' || call.operation === 'stop';
}
