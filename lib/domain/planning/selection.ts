import { type Fit, fits } from '../endpoint/attributes.ts';
import { asSaid, type Endpoint } from '../endpoint/endpoint.ts';
import { matchesGlob } from '../glob.ts';
import type { Selection } from '../rollout/policy.ts';

type Selectable = Pick<Endpoint, 'id' | 'name' | 'attributes'>;

/** Whether a selection includes an endpoint. Names are patterns, never regular expressions. */
export function isSelected(endpoint: Selectable, selection: Selection): boolean {
  return fitsSelection(endpoint, selection) === 'yes';
}

/** `unknown`: it would be selected if it had attributes that nobody has said. */
export function fitsSelection(
  endpoint: Selectable,
  { names, ids, exclude, where = {} }: Selection,
): Fit {
  const { name, attributes = {} } = asSaid(endpoint);
  const named = { id: endpoint.id, name };
  if (matchesName(named, exclude)) return 'no';
  const isEverything = names.length === 0 && ids.length === 0;
  const isNamed = isEverything || ids.includes(endpoint.id) || matchesName(named, names);
  return isNamed ? fits({ attributes }, where) : 'no';
}

/** Whether the name matches any of the patterns, or one of them is the id. Without a name, the id stands for it. */
export function matchesName(
  { id, name }: Pick<Endpoint, 'id' | 'name'>,
  patterns: readonly string[],
): boolean {
  return patterns.some((pattern) => pattern === id || matchesGlob(pattern, name ?? id));
}
