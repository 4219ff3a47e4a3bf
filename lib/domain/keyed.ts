/**
 * What a map has under a key that came from outside. `undefined`: nothing. Each object has inherited words, such as
 * `constructor` and `__proto__`, and a runtime or an endpoint may be called so.
 */
export function entryOf<T>(
  all: Readonly<Record<string, T>> | undefined,
  key: string,
): T | undefined {
  return all !== undefined && Object.hasOwn(all, key) ? all[key] : undefined;
}
