import type * as z from 'zod';
import { NO_GATES } from '../../lib/contract/config/verification.ts';
import type { Verification } from '../../lib/domain/rollout/policy.ts';
import { type GATES, partsOf } from '../../lib/gates/gates.ts';
import type { GateCall } from './run-scenario.ts';

type Said = { readonly [Name in keyof typeof GATES]: z.output<(typeof GATES)[Name]['schema']> };
type Gates = Omit<Said, 'alarms'> & { readonly alarms: readonly string[] };

/** What a policy says of each gate that decides. The decisions do not know it, so their types do not say it. */
export function gatesIn({ verify }: { readonly verify: Verification }): Gates {
  const parts = partsOf(verify, true).map(({ name, said }) => [name, said]);
  const said: Said = { ...NO_GATES, ...Object.fromEntries(parts) };
  return { ...said, alarms: said.alarms.map(nameOf) };
}

function nameOf(alarm: Said['alarms'][number]): string {
  return typeof alarm === 'string' ? alarm : alarm.name;
}

/** Whether an answer of a gate decides. */
export function decidesIn(verify: Verification | undefined) {
  const { alarms, probe, checks } = gatesIn({ verify: verify ?? { approval: null } });
  return ({ kind, asked }: Pick<GateCall, 'kind' | 'asked'>): boolean => {
    if (typeof asked !== 'string') return asked.rule.enforce !== false;
    if (kind === 'check') return checks.some(({ name }) => name === asked);
    return kind === 'probe' ? probe !== null : alarms.includes(asked);
  };
}
