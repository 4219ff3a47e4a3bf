import type { Endpoint } from '../endpoint.ts';
import { matchesGlob } from '../glob.ts';
import type { Selection } from '../policy.ts';

/** Whether a selection means an endpoint. Names are patterns, never regular expressions. */
export function isSelected(
  endpoint: Pick<Endpoint, 'id' | 'name'>,
  { names, ids, exclude }: Selection,
): boolean {
  if (matchesName(endpoint, exclude) || exclude.includes(endpoint.id)) return false;
  const isEverything = names.length === 0 && ids.length === 0;
  return isEverything || ids.includes(endpoint.id) || matchesName(endpoint, names);
}

/** Whether the name matches any of the patterns; an endpoint without a name goes by its id. */
export function matchesName(
  { id, name }: Pick<Endpoint, 'id' | 'name'>,
  patterns: readonly string[],
): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, name ?? id));
}
