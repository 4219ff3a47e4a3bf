import { POLICIES_FILE, readPolicies } from '../../contract/functions/code-files.ts';
import { readFunctionEnv } from '../../contract/functions/environment.ts';
import { readCodeFile } from './code-file.ts';
import { openVerifyContext } from './step-context.ts';

/**
 * The context of the step that opens a rollout. Only this step needs the policies and the groups: afterwards the
 * rollout's policy and its runtimes are in the ledger. So the bundles of the others have nothing that reads the file.
 *
 * @throws `InvalidInput` when the environment or the file is not what the deployment writes.
 */
export async function openOpeningContext() {
  const { service } = readFunctionEnv(process.env, ['service']);
  const planning = readPolicies(readCodeFile(POLICIES_FILE), service);
  const { policyOf } = planning;
  const isOpenToOthers = true as const;
  return { ...(await openVerifyContext()), policyOf, groups: { planning }, isOpenToOthers };
}
