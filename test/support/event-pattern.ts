/**
 * Whether EventBridge gives an event to a rule with this pattern. It knows the matchers that our rules have, and throws
 * at any other.
 */
export function takes(pattern: unknown, event: unknown): boolean {
  return Object.entries(pattern as object).every(([key, wanted]) => {
    if (key === '$or') return (wanted as unknown[]).some((one) => takes(one, event));
    const value = Object(event)[key] as unknown;
    if (!Array.isArray(wanted)) return typeof value === 'object' && takes(wanted, value);
    return wanted.some((one) => takesValue(one, value));
  });
}

function takesValue(matcher: unknown, value: unknown): boolean {
  if (typeof matcher !== 'object') return value === matcher;
  const {
    exists,
    numeric,
    'anything-but': other,
  } = matcher as {
    readonly exists?: boolean;
    readonly numeric?: readonly ['>', number];
    readonly 'anything-but'?: { readonly prefix: string } | readonly string[];
  };
  if (exists !== undefined) return exists === (value !== undefined);
  if (numeric !== undefined) return typeof value === 'number' && value > numeric[1];
  if (other !== undefined) {
    if (typeof value !== 'string') return false;
    return 'prefix' in other ? !value.startsWith(other.prefix) : !other.includes(value);
  }
  throw new Error(`No rule of ours has the matcher ${JSON.stringify(matcher)}.`);
}
