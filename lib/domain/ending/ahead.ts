import { type GateReading, listReadings } from '../rollout/gates.ts';
import type { Ending } from '../rollout/outcome.ts';

// A gate that a wave waits for before it begins has said no, or nothing.

type Reason = 'GateFailed' | 'GateUnknown';

/**
 * The end of a rollout of which nothing was rolled. So there is nothing that its failure policy could do.
 */
export function describeNotBegun(reason: Reason, readings: readonly GateReading[]): Ending {
  const said = listReadings(readings);
  return reason === 'GateFailed'
    ? {
        outcome: 'Failed',
        reason,
        message: `A gate says no before anything is rolled, so nothing is: ${said}.`,
      }
    : {
        outcome: 'Errored',
        reason,
        message: `A gate gives no answer before anything is rolled, so nothing is: ${said}.`,
      };
}

/**
 * The end of a rollout whose next wave does not begin.
 *
 * @param wave The wave, 0-based.
 */
export function describeNoWave(
  reason: Reason,
  wave: number,
  waves: number,
  readings: readonly GateReading[],
): Ending {
  const said = listReadings(readings);
  const where = `Wave ${wave + 1} of ${waves} does not begin`;
  return reason === 'GateFailed'
    ? {
        outcome: 'Failed',
        failure: 'bad',
        reason,
        message: `${where}: a gate says no: ${said}.`,
      }
    : {
        outcome: 'Errored',
        reason,
        message: `${where}: no answer from its gates: ${said}. Nobody knows whether it may, so nothing is stopped or taken back.`,
      };
}
