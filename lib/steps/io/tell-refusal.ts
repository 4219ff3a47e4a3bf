import { isMistake } from '../../domain/error-meanings.ts';
import type { Ending, Outcome } from '../../domain/rollout/outcome.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';
import { wishToTell } from '../../domain/trigger/once.ts';
import type { RecordPorts } from './ports.ts';

/**
 * Whether people are told that a rollout was refused. Whoever has started it reads it at once, and of a runtime its group
 * tells. A trigger has nobody who reads: its owner is told of what somebody has to mend, once a day and runtime.
 */
export async function tellOfRefusal(
  request: AskedRequest,
  { outcome, reason }: Pick<Ending, 'outcome' | 'reason'>,
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
): Promise<Pick<Outcome, 'tell'>> {
  const { startedBy, parent, rolloutId } = request;
  const isOfTrigger = startedBy.kind !== 'person' && parent === undefined;
  if (outcome !== 'Refused' || !isOfTrigger || !isMistake(reason)) return {};
  const first = await ledger.takeRelease(wishToTell(request), clock.now());
  return first === rolloutId ? { tell: true } : {};
}
