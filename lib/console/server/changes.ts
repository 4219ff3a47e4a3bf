/**
 * What differs between two values that JSON can say. An array has the new value, or is empty where there is none any
 * longer. An object has the changes of members; those of an array have their places as names.
 */
export type Change = readonly unknown[] | { readonly [key: string]: Change };

type Members = Readonly<Record<string, unknown>>;

/** @returns `null`: nothing differs. */
export function changeOf(before: unknown, after: unknown): Change | null {
  if (Object.is(before, after)) return null;
  const old = membersOf(before, after);
  if (old === null) return [after];
  const now = after as Members;
  const changes = [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((key) => {
    const change = Object.hasOwn(now, key)
      ? Object.hasOwn(old, key)
        ? changeOf(old[key], now[key])
        : [now[key]]
      : [];
    return change === null ? [] : [[key, change] as const];
  });
  return changes.length === 0 ? null : Object.fromEntries(changes);
}

/** The value after the change. What has not changed is the very same object as before. */
export function withChange(before: unknown, change: Change): unknown {
  if (isList(change)) return change[0];
  const members = new Map(Object.entries(before as Members));
  for (const [key, one] of Object.entries(change)) {
    if (isList(one) && one.length === 0) members.delete(key);
    else members.set(key, withChange(members.get(key), one));
  }
  return Array.isArray(before) ? [...members.values()] : Object.fromEntries(members);
}

/** `null`: the two are of different kinds. Arrays of different lengths are. */
function membersOf(before: unknown, after: unknown): Members | null {
  if (typeof before !== 'object' || before === null) return null;
  if (typeof after !== 'object' || after === null) return null;
  const length = (one: object) => (Array.isArray(one) ? one.length : null);
  return length(before) === length(after) ? (before as Members) : null;
}

function isList(change: Change): change is readonly unknown[] {
  return Array.isArray(change);
}
