import { isWrite } from '../../../../lib/rehearsal/calls.ts';
import { isRollBack, REFUSED } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';

/**
 * Of two rolls of an endpoint in one direction, the second one is a new try if the first one was accepted, or refused
 * each time it was sent. Without an answer it is none.
 */
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
      const sent = ofOne.slice(0, index + 1).filter((roll) => roll.token === before.token);
      const isOver = sent.every(({ answer = '' }) => REFUSED.has(answer));
      if ((before.answer === 'accepted' || isOver) && isSame) {
        return [`${endpointId} was rolled again with the token of a roll that was answered`];
      }
      return before.answer === 'OutcomeUnknown' && !isSame
        ? [`${endpointId} was rolled with a new token, and nobody knew of the roll before`]
        : [];
    }),
  );
}
