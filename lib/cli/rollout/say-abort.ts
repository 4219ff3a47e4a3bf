import { systemClock } from '../../adapters/system-clock.ts';
import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import { wasOpened } from '../../domain/rollout.ts';
import type { Signal } from '../../domain/signal.ts';
import { takenBack } from '../../domain/turn/decide-taken-back.ts';
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
    return (await takeBack(rolloutId, said.reason, engine)) ? null : await sayIt();
  } catch (error) {
    if (errorNameOf(error) !== ErrorName.RolloutNotFound) throw error;
  }
  const why = `Aborted by ${whoIsHere()}${said.reason === '' ? '' : `: ${said.reason}`}`;
  if (await engine.endWaiting(rolloutId, why)) return null;
  // It may have begun in between.
  return sayIt();
}

/** Closes one that has not begun, at once, whatever it waits for. Answers whether it did. */
async function takeBack(
  rolloutId: string,
  reason: string,
  { ledger, endWaiting }: Pick<Engine, 'ledger' | 'endWaiting'>,
): Promise<boolean> {
  const by = whoIsHere();
  const known = await ledger.read(rolloutId);
  // One that has ended is said so, by whoever is asked to say something to it.
  if (known.outcome !== null || wasOpened(known)) return false;
  const outcome = { ...takenBack({ by, reason }), cleanup: 'none' } as const;
  const stored = await ledger.withdraw(rolloutId, outcome, systemClock.now());
  if (stored === null) return false;
  // Its execution on AWS would sleep on for nothing, and end as soon as it wakes.
  await endWaiting(rolloutId, stored.message).catch(() => false);
  return true;
}
