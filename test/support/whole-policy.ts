import { completePolicy } from '../../lib/contract/config/policy.ts';

/** The default policy, in which each gate says that it is not asked. */
export const WHOLE_POLICY = completePolicy({});
