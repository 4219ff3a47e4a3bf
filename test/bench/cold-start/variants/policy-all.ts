import { policiesSchema, policyOfRuntime } from '../../../../lib/contract/config/policies.ts';
import { parseInput } from '../../../../lib/contract/input/parse-input.ts';
import { manyPolicies } from './many-policies.ts';

/** The same, when all thousand policies are checked first. */
export async function handler(): Promise<object> {
  return policyOfRuntime(parseInput(policiesSchema, manyPolicies(), 'policies'), 'runtime-500');
}
