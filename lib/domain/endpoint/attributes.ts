import { matchesGlob } from '../glob.ts';
import { entryOf } from '../keyed.ts';

/** What a list, or the configuration of a runtime, says of an endpoint by names of its own: `{"tier": "internal"}`. */
export type Attributes = Readonly<Record<string, string>>;

/**
 * Means endpoints by their attributes: those that have one of the values of each attribute that is named. `*` stands for any
 * run of characters.
 */
export type Where = Readonly<Record<string, string | readonly string[]>>;

export type Fit = 'yes' | 'no' | 'unknown';

/** `unknown`: nobody has said an attribute that is named, and no other one speaks against it. */
export function fits({ attributes = {} }: { readonly attributes?: Attributes }, where: Where): Fit {
  const found = Object.entries(where).map(([name, said]): Fit => {
    const value = entryOf(attributes, name);
    if (value === undefined) return 'unknown';
    return [said].flat().some((pattern) => matchesGlob(pattern, value)) ? 'yes' : 'no';
  });
  if (found.includes('no')) return 'no';
  return found.includes('unknown') ? 'unknown' : 'yes';
}

/** `tier=free|pro, region=eu` */
export function describeWhere(where: Where): string {
  return Object.entries(where)
    .map(([name, said]) => `${name}=${[said].flat().join('|')}`)
    .join(', ');
}
