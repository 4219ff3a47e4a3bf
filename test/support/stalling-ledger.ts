import type { Ledger } from '../../lib/ports/ledger.ts';
import { type Death, watchedLedger } from '../../lib/rehearsal/mortal-ledger.ts';

export interface Stall extends Pick<Death, 'point' | 'when'> {
  /** Which calls are counted. */
  readonly at: 'any' | 'append' | 'hear' | 'freezeRollback' | 'close';
  /** How long the process stands still. */
  readonly seconds: number;
  /** Whether another rollout tries to take the runtime meanwhile, for as long as it takes. */
  readonly isRaced: boolean;
}

/** Lets the process stand still at one of its calls: this call and all that come meanwhile wait. */
export function stallingLedger(
  ledger: Ledger,
  { point, at, when }: Pick<Stall, 'point' | 'at' | 'when'>,
  standStill: () => Promise<unknown>,
): Ledger {
  let calls = 0;
  let awake: Promise<unknown> = Promise.resolve();
  return watchedLedger(ledger, async (call, name) => {
    const isCounted = at === 'any' || at === name;
    if (isCounted) calls += 1;
    const isTheOne = isCounted && calls === point;
    if (isTheOne && when === 'before') awake = standStill();
    await awake;
    const [answer] = await Promise.allSettled([call()]);
    if (isTheOne && when === 'after') awake = standStill();
    await awake;
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  });
}
