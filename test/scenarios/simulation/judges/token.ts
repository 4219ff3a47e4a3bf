import { isWrite } from '../../../../lib/rehearsal/calls.ts';
import { isRollBack } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';

/** Of two rolls of an endpoint in one direction, the second one is a new try only if the first one was answered. */
export function tokenIsOfTheTry(
  ordeal: Ordeal,
  { calls, record, turnedAt }: ScenarioResult,
): string[] {
  // Who dies or stands still may not have heard the answer.
  if (record === null || !isSteady(ordeal)) return [];
  const rolls = Map.groupBy(
    calls.filter(isWrite),
    (call) => `${call.endpointId} ${call.version} ${isRollBack(call, record, turnedAt)}`,
  );
  return [...rolls.values()].flatMap((ofOne) =>
    ofOne.slice(1).flatMap(({ endpointId, token }, index) => {
      const before = ofOne[index];
      if (token === undefined || before === undefined) return [];
      const isSame = token === before.token;
      if (before.answer === 'accepted' && isSame) {
        return [`${endpointId} was rolled again with the token of a roll that was accepted`];
      }
      return before.answer === 'OutcomeUnknown' && !isSame
        ? [`${endpointId} was rolled with a new token, and nobody knew of the roll before`]
        : [];
    }),
  );
}
