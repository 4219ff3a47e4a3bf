import { errorMessageOf } from '../../domain/errors.ts';
import {
  estimateRollout,
  likelyRollSeconds,
  rollSecondsOf,
} from '../../domain/planning/estimate.ts';
import { wasOpened } from '../../domain/rollout/record.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { drawPlan } from '../../steps/opening/draw-plan.ts';
import { refuseUnanswerable } from '../../steps/opening/gates.ts';
import { type EngineOptions, hasHistory, withEngine } from '../engine/open-engine.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { policyOf } from '../options/policy-shape.ts';
import { inputOf, planOptionsSchema } from '../options/rollout-options.ts';
import { prepare } from '../settings/prepare.ts';
import { withService } from '../settings/service.ts';
import { wrapLines } from '../terminal/fit.ts';
import { isForPeople, printResult } from '../terminal/print-result.ts';
import { plainText } from '../terminal/text.ts';
import { widthOf } from '../terminal/width.ts';
import { describeEstimate, describePlan } from '../words/plan.ts';
import { findUnanswerable } from './unanswerable.ts';

/** `steproll rollout plan`: shows what would be done and how long it would take, and changes nothing. */
export async function rolloutPlan(invocation: Invocation): Promise<number> {
  const prepared = await prepare(planOptionsSchema, invocation);
  const { options, config } = prepared;
  const policy = policyOf(options, config, options['runtime-id']);
  const drawn = await withService(prepared, (service) =>
    drawPlan(inputOf(options), policy, service),
  );
  const unanswerable = await findUnanswerable(drawn, options);
  const past = await learn(options);
  const roundSeconds = likelyRollSeconds(past);
  const learned = { roundSeconds, learnedFrom: past.length };
  const estimate = { ...estimateRollout(drawn.plan, policy, roundSeconds), ...learned };
  if (isForPeople(options)) {
    const isWork = drawn.plan.waves.length > 0;
    const lines = [...describePlan(drawn), ...(isWork ? describeEstimate(estimate) : [])];
    process.stdout.write(`${wrapLines(lines, widthOf(process.stdout)).join('\n')}\n`);
  } else {
    printResult({ id: drawn.fingerprint, ...drawn, unanswerable, estimate }, options);
  }
  refuseUnanswerable(unanswerable);
  return ExitCode.Done;
}

/** A plan is correct without a history, too. Then it only says less about its duration. */
async function learn(
  options: EngineOptions & { readonly 'runtime-id': string },
): Promise<readonly number[]> {
  if (!hasHistory(options)) return [];
  try {
    return await withEngine(options, ({ ledger }) => readPastRolls(options['runtime-id'], ledger));
  } catch (error) {
    process.stderr.write(`The history cannot be read: ${plainText(errorMessageOf(error))}\n`);
    return [];
  }
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
