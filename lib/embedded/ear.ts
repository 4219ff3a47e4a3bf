import { moveOn } from '../domain/clock.ts';
import { judgeTold } from '../domain/decision/wake-early.ts';
import type { Hold } from '../domain/holds/hold.ts';
import { holdIdsOn } from '../domain/holds/what-holds.ts';
import { clockOf, wasOpened } from '../domain/rollout/record.ts';
import type { AskedRequest } from '../domain/rollout/request.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { StepContext } from '../steps/frame/ports.ts';
import { signalsThatCount } from '../steps/frame/record.ts';

/** Hears what a rollout is told while it waits. */
export interface Ear {
  /** The ledger for one step: the signals and holds that it reads are known from then on. */
  listening(): Ledger;
  /**
   * Whether a signal has come that no step has read, and that the next look follows, or a hold has come or gone. It costs
   * one small read.
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
  let request: AskedRequest | null = null;
  let knownHolds = '';

  const holdsNow = (holds: readonly Hold[]) =>
    request === null ? '' : holdIdsOn(request, holds, clock.now()).join();

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
      let hasHeard = false;
      // What a step hears first decides; what it hears later, the next look has to follow.
      const note = (holds: readonly Hold[]) => {
        if (!hasHeard) knownHolds = holdsNow(holds);
        hasHeard = true;
      };
      // Whatever else it has is found in the ledger itself, which a test may have as a proxy.
      return Object.assign(Object.create(ledger) as Ledger, {
        async read(id: string) {
          const record = await ledger.read(id);
          if (id === rolloutId && isFirst) {
            isFirst = false;
            known = record.signals.length;
            ({ request } = record);
          }
          return record;
        },
        async renew(...args: Parameters<Ledger['renew']>) {
          const holds = await ledger.renew(...args);
          if (!args[2]) note(holds);
          return holds;
        },
        async hear(of: Parameters<Ledger['hear']>[0]) {
          const heard = await ledger.hear(of);
          note(heard.holds);
          return heard;
        },
      });
    },
    async isTold(waitedSeconds) {
      if (request === null) return false;
      try {
        const { signals, holds } = await ledger.hear({ rolloutId, runtimeId: request.runtimeId });
        const held = holdsNow(holds);
        // Once, because not every look asks for holds.
        if (held !== knownHolds) {
          knownHolds = held;
          return true;
        }
        return signals.length > known && (await isFollowed(signals.length, waitedSeconds));
      } catch {
        // The next look asks again, and says what is wrong with the ledger.
        return false;
      }
    },
  };
}
