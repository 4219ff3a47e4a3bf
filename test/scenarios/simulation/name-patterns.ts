import type { Protected } from '../../../lib/domain/rollout/policy.ts';

interface Told {
  readonly id: string;
  readonly name: string | null;
  readonly attributes?: Readonly<Record<string, string>>;
}

/**
 * Whether a pattern is the id or fits the name, or the endpoint may have the attributes. Told in another way than the product
 * tells it.
 */
export function isOneOf(
  { id, name, attributes = {} }: Told,
  patterns: readonly Protected[],
): boolean {
  return patterns.some((pattern) => {
    if (typeof pattern === 'string') return pattern === id || fits(name ?? id, pattern);
    return Object.entries(pattern.where).every(([key, values]) => {
      const value = attributes[key];
      return value === undefined || [values].flat().some((one) => fits(value, one));
    });
  });
}

function fits(name: string, pattern: string): boolean {
  return new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name);
}
