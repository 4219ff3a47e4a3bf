import { mayBeListedLater } from '../../domain/decision/unreadable.ts';
import { errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { inParallel } from '../../domain/in-parallel.ts';

/** How many runtimes are asked about at once. */
const AT_ONCE = 8;

/**
 * Finds something out about each runtime of a group, and writes nothing. So a mistake in the last one is known before
 * the first one is rolled.
 *
 * @throws with the faults of all runtimes, under the name of the first one. When one of the lists may be read later,
 *   its error.
 */
export async function ofEach<T>(
  runtimeIds: readonly string[],
  find: (runtimeId: string) => Promise<T>,
): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  const faults: { readonly runtimeId: string; readonly error: unknown }[] = [];
  await inParallel(runtimeIds, AT_ONCE, async (runtimeId) => {
    try {
      found.set(runtimeId, await find(runtimeId));
    } catch (error) {
      faults.push({ runtimeId, error });
    }
  });
  const [first] = faults;
  if (first === undefined) return found;
  const passing = faults.find(({ error }) => mayBeListedLater(error, false));
  if (passing !== undefined) throw passing.error;
  if (!(first.error instanceof SteprollError)) throw first.error;
  const told = faults.map(({ runtimeId, error }) => `\n  ${runtimeId}: ${errorMessageOf(error)}`);
  throw new SteprollError(
    first.error.name,
    `${faults.length} of the ${runtimeIds.length} runtimes cannot be rolled, so none is:${told.join('')}`,
    { cause: first.error },
  );
}
