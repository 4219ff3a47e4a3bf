import type { Attributes, Where } from '../endpoint/attributes.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';

type Naming = Pick<RolloutPolicy, 'waves' | 'selection' | 'protect'>;

/**
 * What a plan keeps of the attributes of an endpoint: those that the policy names, so that no other one is a part of what
 * somebody agrees to. Without any such name the plan has no attributes.
 */
export function keptAttributes(
  policy: Naming,
): (of: { readonly attributes?: Attributes }) => { readonly attributes?: Attributes } {
  const names = [...new Set(wheresOf(policy).flatMap((where) => Object.keys(where)))];
  if (names.length === 0) return () => ({});
  return ({ attributes = {} }) => {
    const kept = names.filter((name) => Object.hasOwn(attributes, name));
    return { attributes: Object.fromEntries(kept.map((name) => [name, attributes[name] ?? ''])) };
  };
}

function wheresOf({ waves, selection, protect }: Naming): readonly Where[] {
  return [
    ...waves.flatMap((wave) => ('where' in wave ? [wave.where] : [])),
    ...(selection.where === undefined ? [] : [selection.where]),
    ...protect.flatMap((one) => (typeof one === 'string' ? [] : [one.where])),
  ];
}
