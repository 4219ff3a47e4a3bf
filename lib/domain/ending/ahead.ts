import { type GateReading, listReadings } from '../rollout/gates.ts';
import type { Ending } from '../rollout/outcome.ts';
import { describeTakenGates } from './taken-permission.ts';

/**
 * The end of a rollout that a gate keeps from rolling anything, by a no or by nothing. So there is nothing that its failure
 * policy could do.
 */
export function describeNotBegun(
  reason: 'GateFailed' | 'GateUnknown',
  readings: readonly GateReading[],
): Ending {
  const isNo = reason === 'GateFailed';
  const says = isNo ? 'says no' : 'gives no answer';
  const said = listReadings(readings);
  return {
    outcome: isNo ? 'Failed' : 'Errored',
    reason,
    message: `A gate ${says} before anything is rolled, so nothing is: ${said}.${isNo ? '' : describeTakenGates(readings)}`,
  };
}
