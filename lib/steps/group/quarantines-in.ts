import type { Hold } from '../../domain/holds/hold.ts';
import { quarantinesFor } from '../../domain/holds/what-holds.ts';
import type { Clock } from '../../ports/clock.ts';
import type { QuarantinesOf } from './settle-versions.ts';

/** The quarantines among all holds, which are read once for all runtimes, and not before somebody asks. */
export function quarantinesIn(
  readHolds: () => Promise<readonly Hold[]>,
  clock: Pick<Clock, 'now'>,
): QuarantinesOf {
  let all: Promise<readonly Hold[]> | undefined;
  return async (runtimeId) => {
    all ??= readHolds();
    return quarantinesFor({ runtimeId }, await all, clock.now());
  };
}
