import { errorMessageOf } from '../../domain/errors.ts';
import type { DrawnPlan } from '../../domain/planning/drawn-plan.ts';
import {
  estimateRollout,
  likelyRollSeconds,
  usualRollMsOf,
} from '../../domain/planning/estimate.ts';
import { foresee } from '../../domain/turn/foresee.ts';
import { IN_BAKE } from '../../gates/gate.ts';
import { askedAt, type GatePorts, needEndpoints } from '../../gates/gates.ts';
import { readPastRolls } from '../../steps/opening/past-rolls.ts';
import { plainLines } from '../../telling/text.ts';
import type { LearnedEstimate, Preview } from '../../telling/words/plan.ts';
import type { Engine } from '../engine/engine.ts';
import { type EngineOptions, hasHistory, withEngine } from '../engine/open-engine.ts';
import type { Prepared } from '../settings/prepare.ts';

/** Foresees when a rollout would begin and end, from its policy, the history and what is under way. */
export async function previewRollout(
  drawn: DrawnPlan,
  { options, config }: Pick<Prepared<PreviewOptions>, 'options' | 'config'>,
  now: number,
): Promise<Preview> {
  const { foreseeNotGo } = await import('../../steps/opening/conditions.ts');
  return lookBack(options, async ({ ledger, isAbandoned }) => {
    const past = await readPastRolls(drawn.runtimeId, ledger);
    const gates = await gatesHere(drawn, options, config);
    const ports = { ledger, isAbandoned, clock: { now: () => now }, ...(gates && { gates }) };
    const again = options['--again'] ? { again: true as const } : {};
    const takeOver = options['--take-over'] ? { takeOver: true as const } : {};
    const first = await foreseeNotGo({ request: { ...drawn, ...again, ...takeOver } }, ports);
    const roundSeconds = likelyRollSeconds(past);
    const inBake = {
      areAsked: askedAt(drawn.policy.verify, IN_BAKE).length > 0,
      needEndpoints: needEndpoints(drawn.policy.verify),
    };
    const usual = drawn.revert === undefined ? usualRollMsOf(past) : null;
    // Without any time for its rolls, it is the least that can come.
    const estimated = estimateRollout(drawn.plan, drawn.policy, roundSeconds ?? 0, inBake, usual);
    const estimate: LearnedEstimate =
      roundSeconds === null
        ? { ...estimated, seconds: null, waves: null, roundSeconds, learnedFrom: 0 }
        : { ...estimated, roundSeconds, learnedFrom: past.length };
    return { estimate, begin: foresee(first, estimate.seconds, now) };
  });
}

type PreviewOptions = EngineOptions & {
  readonly '--again'?: boolean;
  readonly '--take-over'?: boolean;
};

/**
 * The gates that can be asked before anything is rolled, for a rollout that runs on this machine: on AWS it asks them
 * with its own role. `null`: there are none, or nothing would be rolled.
 */
async function gatesHere(
  { plan, policy }: DrawnPlan,
  { '--engine': engine }: EngineOptions,
  config: Prepared<object>['config'],
): Promise<GatePorts | null> {
  if (engine === 'aws' || plan.waves.length === 0) return null;
  if (askedAt(policy.verify, ['start']).length === 0) return null;
  const { openGatesOf } = await import('../settings/service.ts');
  return openGatesOf({ config });
}

/** Looks at the history. Without one, a plan only says less about when it begins and how long it takes. */
export async function lookBack<T>(
  options: EngineOptions,
  look: (history: Pick<Engine, 'ledger' | 'isAbandoned'>) => Promise<T>,
): Promise<T> {
  try {
    if (hasHistory(options)) return await withEngine(options, look);
  } catch (error) {
    process.stderr.write(`The history cannot be read: ${plainLines(errorMessageOf(error))}\n`);
  }
  const { createMemoryLedger } = await import('../../adapters/ledger/memory/ledger.ts');
  return look({ ledger: createMemoryLedger(), isAbandoned: async () => false });
}
