import { invalidInput } from '../../contract/input/parse-input.ts';
import { abbreviateIds, idsMeant, isWholeId } from '../../domain/rollout/name.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { Engine } from '../engine/engine.ts';
import { type EngineOptions, withHistory } from '../engine/open-engine.ts';

/** Among so many of the newest rollouts an abbreviated id is looked for. */
const LOOKED_THROUGH = 1_000;
const MOST_CANDIDATES = 10;

type Known = Pick<Ledger, 'list' | 'readSummary'>;

/** Does something with the rollout that an id names, or the beginning of one. @throws as `findNamed` and `withHistory` do. */
export function withRollout<T>(
  options: EngineOptions & { readonly 'rollout-id': string },
  use: (engine: Engine, rolloutId: string) => Promise<T>,
): Promise<T> {
  return withHistory(options, async (engine) =>
    use(engine, await findNamed(options['rollout-id'], engine.ledger)),
  );
}

/**
 * The id of the rollout that is meant. An id that nobody knows stays as it is, and so does any while the ledger cannot be read:
 * whoever uses it says so.
 *
 * @throws `InvalidInput` that lists the rollouts when several are meant.
 */
export async function findNamed(text: string, ledger: Known): Promise<string> {
  const meant = isWholeId(text) ? [text] : await readMeant(text, ledger).catch(() => [text]);
  const [only = text, ...more] = meant;
  if (more.length === 0) return only;
  const shown = abbreviateIds(meant);
  const candidates = meant.slice(0, MOST_CANDIDATES).map((id) => shown.get(id) ?? id);
  const rest = meant.length - candidates.length;
  throw invalidInput('arguments', [
    `rollout-id: ${JSON.stringify(text)} may be ${candidates.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}; use more characters`,
  ]);
}

async function readMeant(text: string, ledger: Known): Promise<readonly string[]> {
  if ((await ledger.readSummary(text)) !== null) return [text];
  const rollouts = await ledger.list({ limit: LOOKED_THROUGH });
  return idsMeant(
    text,
    rollouts.map(({ rolloutId }) => rolloutId),
  );
}
