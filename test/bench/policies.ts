import { DEFAULT_POLICY, PRESETS } from '../../lib/domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';

/** The default policy with a probe. */
export const PROBED_POLICY: RolloutPolicy = {
  ...DEFAULT_POLICY,
  verify: {
    ...DEFAULT_POLICY.verify,
    probe: {
      path: '/',
      status: 200,
      tries: 3,
      timeoutSeconds: 5,
      hosts: ['*.localhost'],
      privateNetwork: false,
    },
  },
};

/** What the default and each preset change of it. */
export const POLICIES: Readonly<Record<string, Partial<RolloutPolicy>>> = {
  default: {},
  ...PRESETS,
};
