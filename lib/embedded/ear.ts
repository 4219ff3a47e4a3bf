import { moveOn } from '../domain/clock.ts';
import { judgeTold } from '../domain/decision/wake-early.ts';
import { clockOf, wasOpened } from '../domain/rollout/record.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { StepContext } from '../steps/frame/ports.ts';
import { signalsThatCount } from '../steps/frame/record.ts';

/** Hears what a rollout is told while it waits. */
export interface Ear {
  /** The ledger for one step: the signals that it reads first are known from then on. */
  listening(): Ledger;
  /**
   * Whether a signal has come that no step has read, and that the next look follows. It costs one small read.
   *
   * @param waitedSeconds How long the rollout has waited for that look.
   */
  isTold(waitedSeconds: number): Promise<boolean>;
}

export function createEar(
  rolloutId: string,
  { ledger, clock }: Pick<StepContext, 'ledger' | 'clock'>,
): Ear {
  let known = 0;

  async function isFollowed(count: number, waitedSeconds: number): Promise<boolean> {
    const stored = await ledger.read(rolloutId);
    if (!wasOpened(stored)) return false;
    const signals = await signalsThatCount(stored.signals, { ledger, clock });
    const now = clock.now();
    const { watched } = moveOn(clockOf(stored, now), now, waitedSeconds * 1000);
    const verdict = judgeTold({ ...stored, signals }, watched);
    if (verdict === 'ignored') known = count;
    return verdict === 'followed';
  }

  return {
    listening() {
      let isFirst = true;
      // Whatever else it has is found in the ledger itself, which a test may have as a proxy.
      return Object.assign(Object.create(ledger) as Ledger, {
        async read(id: string) {
          const record = await ledger.read(id);
          if (id === rolloutId && isFirst) {
            isFirst = false;
            known = record.signals.length;
          }
          return record;
        },
      });
    },
    async isTold(waitedSeconds) {
      try {
        const { length } = await ledger.readSignals(rolloutId);
        return length > known && (await isFollowed(length, waitedSeconds));
      } catch {
        // The next look asks again, and says what is wrong with the ledger.
        return false;
      }
    },
  };
}
