import { errorMessageOf } from '../../domain/errors.ts';
import {
  estimateRollout,
  likelyRollSeconds,
  rollSecondsOf,
} from '../../domain/planning/estimate.ts';
import { wasOpened } from '../../domain/rollout/record.ts';
import { foresee } from '../../domain/turn/foresee.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { DrawnPlan } from '../../steps/opening/draw-plan.ts';
import type { Engine } from '../engine/engine.ts';
import { type EngineOptions, hasHistory, withEngine } from '../engine/open-engine.ts';
import { plainLines } from '../terminal/text.ts';
import type { Preview } from '../words/plan.ts';

/** Foresees when a rollout would begin and end, from its policy, the history and what is under way. */
export async function previewRollout(
  { runtimeId, plan, policy }: Pick<DrawnPlan, 'runtimeId' | 'plan' | 'policy'>,
  options: EngineOptions,
  now: number,
): Promise<Preview> {
  const { past, underWay } = await lookBack(runtimeId, options, now);
  const roundSeconds = likelyRollSeconds(past);
  const learned = { roundSeconds, learnedFrom: past.length };
  const estimate = { ...estimateRollout(plan, policy, roundSeconds), ...learned };
  return { estimate, begin: foresee(policy, underWay, estimate.seconds, now) };
}

interface LookBack {
  /** Seconds that a roll took in past rollouts of this runtime, the newest first. */
  readonly past: readonly number[];
  readonly underWay: string | null;
}

/** A plan is correct without a history, too. Then it only says less about when it begins and how long it takes. */
export async function lookBack(
  runtimeId: string,
  options: EngineOptions,
  now: number,
): Promise<LookBack> {
  if (!hasHistory(options)) return { past: [], underWay: null };
  try {
    return await withEngine(options, async (engine) => ({
      past: await readPastRolls(runtimeId, engine.ledger),
      underWay: await findUnderWay(runtimeId, engine, now),
    }));
  } catch (error) {
    process.stderr.write(`The history cannot be read: ${plainLines(errorMessageOf(error))}\n`);
    return { past: [], underWay: null };
  }
}

/** A rollout whose process is dead, or that let its lease run out, is ended by the next one. */
async function findUnderWay(
  runtimeId: string,
  { ledger, isAbandoned }: Engine,
  now: number,
): Promise<string | null> {
  const held = (await ledger.listHeld()).find((lease) => lease.runtimeId === runtimeId);
  if (held === undefined || held.leaseUntil <= now) return null;
  return (await isAbandoned(held.rolloutId)) ? null : held.rolloutId;
}

/** How many of the runtime's newest rollouts are looked through. */
const LOOKED_THROUGH = 20;

/** How many successful ones among them are learned from. */
const LEARNED_FROM = 5;

/** Seconds that a roll took in past rollouts of this runtime, the newest first. */
export async function readPastRolls(
  runtimeId: string,
  ledger: Pick<Ledger, 'list' | 'read'>,
): Promise<readonly number[]> {
  const past = await ledger.list({ runtimeId, limit: LOOKED_THROUGH });
  const rolls: number[] = [];
  for (const { rolloutId, outcome } of past) {
    if (rolls.length === LEARNED_FROM) break;
    if (outcome?.outcome !== 'Succeeded') continue;
    const record = await ledger.read(rolloutId);
    const seconds = wasOpened(record) ? rollSecondsOf(record) : null;
    if (seconds !== null) rolls.push(seconds);
  }
  return rolls;
}
