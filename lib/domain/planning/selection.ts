import { asSaid, type Endpoint } from '../endpoint/endpoint.ts';
import { matchesGlob } from '../glob.ts';
import type { Selection } from '../rollout/policy.ts';

/** Whether a selection includes an endpoint. Names are patterns, never regular expressions. */
export function isSelected(
  endpoint: Pick<Endpoint, 'id' | 'name'>,
  { names, ids, exclude }: Selection,
): boolean {
  const named = { id: endpoint.id, name: asSaid(endpoint).name };
  if (matchesName(named, exclude)) return false;
  const isEverything = names.length === 0 && ids.length === 0;
  return isEverything || ids.includes(endpoint.id) || matchesName(named, names);
}

/** Whether the name matches any of the patterns, or one of them is the id. Without a name, the id stands for it. */
export function matchesName(
  { id, name }: Pick<Endpoint, 'id' | 'name'>,
  patterns: readonly string[],
): boolean {
  return patterns.some((pattern) => pattern === id || matchesGlob(pattern, name ?? id));
}
