import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import type { Signal } from '../../domain/signal.ts';
import type { Engine } from '../engine/engine.ts';
import { say, whoIsHere } from './say.ts';

/**
 * Asks a rollout to end; one that has not begun is ended at once. Answers what was said, `null` where it
 * will never begin.
 *
 * @throws `RolloutNotFound`, `RolloutClosed`, `LedgerUnavailable`, `AwsUnavailable`.
 */
export async function sayAbort(
  rolloutId: string,
  said: Pick<Signal, 'onFailure' | 'reason'>,
  engine: Pick<Engine, 'ledger' | 'endWaiting'>,
): Promise<Signal | null> {
  const sayIt = () => say(rolloutId, { kind: 'abort', wave: null, ...said }, engine.ledger);
  try {
    return await sayIt();
  } catch (error) {
    if (errorNameOf(error) !== ErrorName.RolloutNotFound) throw error;
  }
  const why = `Aborted by ${whoIsHere()}${said.reason === '' ? '' : `: ${said.reason}`}`;
  if (await engine.endWaiting(rolloutId, why)) return null;
  // It may have begun in between.
  return sayIt();
}
