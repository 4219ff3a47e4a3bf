import { readPolicies } from '../../../../lib/contract/functions/code-files.ts';
import { manyPolicies, service } from './many-policies.ts';

/** The policy of one runtime among a thousand, as `openRollout` reads it. */
export async function handler(): Promise<object> {
  return readPolicies(manyPolicies(), service).policyOf('runtime-500');
}
