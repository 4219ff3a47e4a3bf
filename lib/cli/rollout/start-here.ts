import { randomUUID } from 'node:crypto';
import type { RolloutInput } from '../../contract/rollout-input.ts';
import type { RolloutPolicy } from '../../domain/policy.ts';
import { confirm } from '../ask/confirm.ts';
import { type EngineOptions, withEngine } from '../engine/with-engine.ts';
import { ExitCode } from '../exit-code.ts';
import { type Connecting, connect } from '../settings/connect.ts';
import { describePlan } from '../view/describe-plan.ts';
import type { HowToPrint } from '../view/print-result.ts';
import { drawPlan } from './draw-plan.ts';
import { runRollout } from './run-rollout.ts';
import { startedByHand } from './started-by-hand.ts';

/** Runs a rollout in this process to its end, after a yes to its plan, and answers the exit code. */
export async function startHere(
  wanted: RolloutInput,
  policy: RolloutPolicy,
  prepared: Connecting<EngineOptions & HowToPrint & { readonly '--yes': boolean }>,
): Promise<number> {
  const { options } = prepared;
  const service = connect(prepared);
  let input = wanted;
  try {
    if (!options['--yes']) {
      const drawn = await drawPlan(wanted, policy, service);
      process.stderr.write(`${describePlan(drawn).join('\n')}\n`);
      if (!(await confirm('Start this rollout?'))) {
        process.stderr.write('Not started.\n');
        return ExitCode.Failed;
      }
      // What they said yes to, and nothing else.
      input = { plan: drawn.fingerprint, ...wanted };
    }
    const rollout = { rolloutId: randomUUID(), input: startedByHand(input), policy };
    return await withEngine(options, ({ ledger }) => runRollout(rollout, service, ledger, options));
  } finally {
    await service.close();
  }
}
