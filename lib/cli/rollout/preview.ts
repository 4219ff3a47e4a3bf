import { systemClock } from '../../adapters/machine/clock.ts';
import type { Instant } from '../../domain/clock.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import type { DrawnPlan } from '../../domain/planning/drawn-plan.ts';
import {
  type Estimate,
  estimateRollout,
  likelyRollSeconds,
  usualRollMsOf,
} from '../../domain/planning/estimate.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { judgeWindows, type WindowsJudged } from '../../domain/turn/fits-window.ts';
import { foresee } from '../../domain/turn/foresee.ts';
import { isUnbound, rulesOfWave } from '../../domain/turn/roll-window.ts';
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
    const { plan, policy } = drawn;
    const { at } = foresee(first, null, now);
    // Without any time for its rolls, it is the least that can come.
    const estimated = estimateRollout(plan, policy, roundSeconds ?? 0, inBake, usual, at);
    const estimate: LearnedEstimate =
      roundSeconds === null
        ? { ...estimated, seconds: null, waves: null, waits: null, roundSeconds, learnedFrom: 0 }
        : { ...estimated, roundSeconds, learnedFrom: past.length };
    const begin = foresee(first, estimate.seconds, now);
    const ahead = at === null ? null : wavesAhead(estimated, at);
    return {
      ...{ estimate, begin, ahead },
      windows: judgeWindows(policy, plan.waves, roundSeconds, now),
      unsaid: first.decision === 'go' ? (first.learnt.unsaid ?? []) : [],
    };
  });
}

function wavesAhead({ waves, seconds }: Estimate, beginsAt: Instant): Preview['ahead'] {
  const at = (second: number) => beginsAt + second * 1000;
  return { beginAt: waves.map(({ startsAt }) => at(startsAt)), takenUntil: at(seconds) };
}

/**
 * Refuses windows that nothing can be rolled in.
 *
 * @throws `InvalidInput`
 */
export function refuseWindows({ faults }: WindowsJudged): void {
  if (faults.length === 0) return;
  const message = `Nothing is rolled, because of the windows:\n${faults.map((fault) => `  ${fault}`).join('\n')}`;
  throw new SteprollError(ErrorName.InvalidInput, message);
}

/** The same for a rollout that starts without a question. @throws `InvalidInput` */
export async function refuseWindowsUnasked(
  runtimeId: string,
  policy: RolloutPolicy,
  options: EngineOptions,
): Promise<void> {
  const isAnyBound = policy.waves.some((wave) => !isUnbound(rulesOfWave(policy, wave)));
  if (!isAnyBound) return;
  const past = await lookBack(options, ({ ledger }) => readPastRolls(runtimeId, ledger));
  const now = systemClock.now();
  refuseWindows(judgeWindows(policy, policy.waves, likelyRollSeconds(past), now));
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
