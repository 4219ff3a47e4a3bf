import type { Endpoint } from '../endpoint.ts';

/** Whether two reads of a list hold the same endpoints, whatever their order and state. */
export function sameEndpoints(a: readonly Endpoint[], b: readonly Endpoint[]): boolean {
  if (a.length !== b.length) return false;
  const ids = new Set(a.map((endpoint) => endpoint.id));
  return b.every((endpoint) => ids.has(endpoint.id));
}
