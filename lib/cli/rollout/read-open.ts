import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { Engine } from '../engine/engine.ts';

interface Open {
  readonly record: AskedRollout;
  /** Whether its process seems to be dead. */
  readonly isAbandoned: boolean;
}

/** Reads every rollout that has not ended. One that cannot be read must not keep the others from being shown. */
export async function readOpen({
  ledger,
  isAbandoned,
}: Pick<Engine, 'ledger' | 'isAbandoned'>): Promise<readonly Open[]> {
  const [held, waiting] = await Promise.all([ledger.listHeld(), ledger.listWaiting()]);
  const ids = new Set([...held.map(({ rolloutId }) => rolloutId), ...waiting]);
  const open = await Promise.all(
    [...ids].map(async (id) => {
      const record = await ledger.read(id).catch(() => null);
      if (record === null || record.outcome !== null) return [];
      return [{ record, isAbandoned: await isAbandoned(id) }];
    }),
  );
  return open.flat();
}
