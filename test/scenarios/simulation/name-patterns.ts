/** Whether a pattern is the id or fits the name. Told in another way than the product tells it. */
export function isOneOf(
  { id, name }: { readonly id: string; readonly name: string | null },
  patterns: readonly string[],
): boolean {
  return patterns.some((pattern) => pattern === id || fits(name ?? id, pattern));
}

function fits(name: string, pattern: string): boolean {
  return new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name);
}
