import { asRead } from '../spelling.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * The endpoints of a whole list, in which those say so that people cannot tell apart by their names. A name that differs
 * from another one by nothing that is seen counts as the same.
 */
export function markSharedNames(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const labels = endpoints.map(({ id, name }) => asRead(name ?? id));
  if (new Set(labels).size === labels.length) return endpoints;
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return endpoints.map((endpoint, index) => {
    const isShared = (counts.get(labels[index] as string) ?? 0) > 1;
    return isShared ? { ...endpoint, sharesName: true as const } : endpoint;
  });
}
