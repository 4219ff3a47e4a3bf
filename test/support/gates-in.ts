import type * as z from 'zod';
import { NO_GATES } from '../../lib/contract/config/verification.ts';
import type { Verification } from '../../lib/domain/rollout/policy.ts';
import type { GATES } from '../../lib/gates/gates.ts';

type Gates = { readonly [Name in keyof typeof GATES]: z.output<(typeof GATES)[Name]['schema']> };

/** What a policy says of each gate. The decisions do not know it, so their types do not say it. */
export function gatesIn({ verify }: { readonly verify: Verification }): Gates {
  return { ...NO_GATES, ...verify };
}
