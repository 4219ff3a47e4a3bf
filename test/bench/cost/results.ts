import { readFileSync, writeFileSync } from 'node:fs';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import { POLICIES, PROBED_POLICY } from '../policies.ts';
import { countGroup, type GroupCost } from './count-group.ts';
import { countClose } from './count-history.ts';
import { countRollout, countSecondRollout, type RolloutCost } from './count-rollout.ts';
import { ASKED } from './gates-asked.ts';

export const ROLL_SECONDS = 60;
export const SIZES = [1, 10, 100, 1_000, 10_000] as const;
export const RUNTIMES = 100;
export const ENDPOINTS_OF_EACH = 100;
const HOUR = 3600;

/** One wave, which bakes for so long. */
const BAKES: Readonly<Record<string, Partial<RolloutPolicy>>> = {
  '5 min': { waves: [{ percent: 100 }] },
  '1 h': { waves: [{ percent: 100 }], bakeSeconds: HOUR },
  '12 h': { waves: [{ percent: 100 }], bakeSeconds: 12 * HOUR },
};
const KEPT_DAYS = 90;

/** What rollouts took when they were counted last. */
export interface Results {
  readonly sizes: readonly CountOfSize[];
  /** With a probe, by preset and by bake. */
  readonly policies: Readonly<Record<string, RolloutCost>>;
  /** In the order of `ASKED`. */
  readonly asked: readonly RolloutCost[];
  readonly group: GroupCost;
}

interface CountOfSize {
  readonly endpoints: number;
  readonly first: RolloutCost;
  /** Of a runtime whose rollout before has shown how long a roll takes. */
  readonly second: RolloutCost;
  /** Units of the ledger for its close, when rollouts are kept for ever and for some days. */
  readonly close: readonly [never: Units, days: Units];
}

interface Units {
  readonly read: number;
  readonly write: number;
}

const FILE = new URL('./results.json', import.meta.url);

export function readResults(): Results {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** Counts everything, which takes minutes, and writes it down for the docs. */
export async function countAll(): Promise<Results> {
  const results = {
    sizes: await inTurn(SIZES, countSize),
    policies: Object.fromEntries(
      await inTurn(Object.entries({ ...POLICIES, ...BAKES }), async ([name, parts]) => [
        name,
        await countRollout(ENDPOINTS_OF_EACH, ROLL_SECONDS, { ...PROBED_POLICY, ...parts }),
      ]),
    ),
    asked: await inTurn(ASKED, countAsked),
    group: await countGroup(RUNTIMES, ENDPOINTS_OF_EACH, ROLL_SECONDS),
  };
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
  return results;
}

/** With the default policy and a gate that asks something of a user's own. */
export function countAsked([, policy, workSeconds]: (typeof ASKED)[number]): Promise<RolloutCost> {
  return countRollout(ENDPOINTS_OF_EACH, ROLL_SECONDS, policy, workSeconds);
}

export async function countSize(endpoints: number): Promise<CountOfSize> {
  const { read, write } = await countClose(endpoints, ROLL_SECONDS);
  const days = await countClose(endpoints, ROLL_SECONDS, KEPT_DAYS);
  return {
    endpoints,
    first: await countRollout(endpoints, ROLL_SECONDS),
    second: await countSecondRollout(endpoints, ROLL_SECONDS),
    close: [
      { read, write },
      { read: days.read, write: days.write },
    ],
  };
}

async function inTurn<Item, Result>(
  items: readonly Item[],
  count: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await count(item));
  return results;
}
