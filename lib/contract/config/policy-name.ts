import { entryOf } from '../../domain/keyed.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { suggest } from '../input/suggest.ts';

/** The policy that holds for every runtime, and of which every other one only says what is different. */
export const POLICY_OF_ALL = 'default';

/** What of a configuration says it. */
interface Named {
  readonly policies: Readonly<Record<string, unknown>>;
  readonly runtimes: Readonly<Record<string, { readonly policy?: string | undefined }>>;
}

/** Which policy a runtime has, for whoever rolls it. `null`: it has no name that anybody has given. */
export function describePolicyName(
  { policies, runtimes }: Named,
  runtimeId: string,
): string | null {
  const known = Object.keys(runtimes);
  const isSaid = known.length > 0 || Object.keys(policies).length > 0;
  if (!isSaid || groupNameOf(runtimeId) !== null) return null;
  const { policy = POLICY_OF_ALL } = entryOf(runtimes, runtimeId) ?? {};
  const isNamed = known.length === 0 || known.includes(runtimeId);
  const why = `, because runtimes does not name ${runtimeId}${suggest(runtimeId, known)}`;
  return `Policy: ${policy}${isNamed ? '' : why}.`;
}
