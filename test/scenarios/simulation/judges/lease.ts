import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';

/** As long as its process goes on, nobody else could have taken the lease. */
export function leaseLasts(ordeal: Ordeal, { calls, leases }: ScenarioResult): string[] {
  if (!isSteady(ordeal)) return [];
  const own = leases.filter(({ rolloutId, until }) => rolloutId === 'rollout-1' && until !== null);
  // Both are in the order of their times.
  let nth = 0;
  let until = Number.POSITIVE_INFINITY;
  const late = calls.flatMap((call) => {
    for (let grant = own[nth]; grant !== undefined && grant.at <= call.at; grant = own[nth]) {
      until = Math.max(nth === 0 ? 0 : until, Number(grant.until));
      nth += 1;
    }
    const isMeant = isList(call) || isWrite(call);
    return isMeant && call.at > until ? [{ operation: call.operation, ms: call.at - until }] : [];
  });
  return late.slice(0, 1).map(({ operation, ms }) => `${operation}, ${ms} ms after its lease`);
}
