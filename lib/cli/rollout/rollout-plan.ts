import { errorMessageOf } from '../../domain/errors.ts';
import { estimateRollout, likelyRollSeconds } from '../../domain/plan/estimate-rollout.ts';
import { type EngineOptions, hasHistory, withEngine } from '../engine/with-engine.ts';
import { ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { isForPeople } from '../options/is-for-people.ts';
import { policyOf } from '../options/policy-options.ts';
import { inputOf, planOptionsSchema } from '../options/rollout-options.ts';
import { prepare } from '../settings/prepare.ts';
import { withService } from '../settings/with-service.ts';
import { describeEstimate } from '../view/describe-estimate.ts';
import { describePlan } from '../view/describe-plan.ts';
import { plainText } from '../view/plain-text.ts';
import { printResult } from '../view/print-result.ts';
import { widthOf } from '../view/screen.ts';
import { wrapLines } from '../view/wrap-text.ts';
import { drawPlan } from './draw-plan.ts';
import { readPastRolls } from './read-past-rolls.ts';

/** `steproll rollout plan`: shows what would be done and what it would take, and changes nothing. */
export async function rolloutPlan(invocation: Invocation): Promise<number> {
  const prepared = await prepare(planOptionsSchema, invocation);
  const { options, config } = prepared;
  const policy = policyOf(options, config, options['runtime-id']);
  const drawn = await withService(prepared, (service) =>
    drawPlan(inputOf(options), policy, service),
  );
  const past = await learn(options);
  const roundSeconds = likelyRollSeconds(past);
  const learned = { roundSeconds, learnedFrom: past.length };
  const estimate = { ...estimateRollout(drawn.plan, policy, roundSeconds), ...learned };
  if (isForPeople(options)) {
    const isWork = drawn.plan.waves.length > 0;
    const lines = [...describePlan(drawn), ...(isWork ? describeEstimate(estimate) : [])];
    process.stdout.write(`${wrapLines(lines, widthOf(process.stdout)).join('\n')}\n`);
  } else {
    printResult({ id: drawn.fingerprint, ...drawn, estimate }, options);
  }
  return ExitCode.Done;
}

/** A plan is right without a history, too: it only says less of how long it takes. */
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
