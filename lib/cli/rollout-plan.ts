import { connect } from './connect.ts';
import { drawPlan } from './draw-plan.ts';
import { ExitCode } from './exit-code.ts';
import type { Invocation } from './invocation.ts';
import { policyOf } from './policy-options.ts';
import { prepare } from './prepare.ts';
import { printResult } from './print-result.ts';
import { planOptionsSchema } from './rollout-options.ts';
import { describePlan } from './view/describe-plan.ts';

/** `steproll rollout plan`: shows what would be done, and changes nothing. */
export async function rolloutPlan(invocation: Invocation): Promise<number> {
  const prepared = await prepare(planOptionsSchema, invocation);
  const { options, config } = prepared;
  const policy = policyOf(options, config, options['runtime-id']);
  const service = connect(prepared);
  try {
    const drawn = await drawPlan(options, policy, service);
    if (options['--output'] === 'table' && options['--query'] === undefined) {
      process.stdout.write(`${describePlan(drawn).join('\n')}\n`);
    } else {
      printResult({ id: drawn.fingerprint, ...drawn }, options);
    }
    return ExitCode.Done;
  } finally {
    await service.close();
  }
}
