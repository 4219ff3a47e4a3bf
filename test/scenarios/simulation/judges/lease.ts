import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';

/** As long as its process goes on, nobody else could have taken the lease. */
export function leaseLasts(ordeal: Ordeal, { calls, leases }: ScenarioResult): string[] {
  if (!isSteady(ordeal)) return [];
  const own = leases.filter(({ rolloutId, until }) => rolloutId === 'rollout-1' && until !== null);
  const late = calls
    .filter((call) => isList(call) || isWrite(call))
    .flatMap(({ at, operation }) => {
      const before = own.filter((grant) => grant.at <= at);
      const until = Math.max(...before.map((grant) => Number(grant.until)));
      return before.length > 0 && at > until ? [{ operation, ms: at - until }] : [];
    });
  return late.slice(0, 1).map(({ operation, ms }) => `${operation}, ${ms} ms after its lease`);
}
