import { randomUUID } from 'node:crypto';
import type { RolloutInput } from '../../contract/rollout-input.ts';
import type { RolloutPolicy } from '../../domain/policy.ts';
import { confirm } from '../ask/confirm.ts';
import { type EngineOptions, withEngine } from '../engine/with-engine.ts';
import { ExitCode } from '../exit-code.ts';
import type { Connecting } from '../settings/connect.ts';
import { withService } from '../settings/with-service.ts';
import { describePlan } from '../view/describe-plan.ts';
import { plainText } from '../view/plain-text.ts';
import type { HowToPrint } from '../view/print-result.ts';
import { widthOf } from '../view/screen.ts';
import { wrapLines } from '../view/wrap-text.ts';
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
  return withService(prepared, async (service) => {
    let input = wanted;
    if (!options['--yes']) {
      const drawn = await drawPlan(wanted, policy, service);
      const plan = wrapLines(describePlan(drawn), widthOf(process.stderr));
      process.stderr.write(`${plan.join('\n')}\n`);
      if (!(await confirm(`Start this rollout at ${plainText(service.url)}?`))) {
        process.stderr.write('Not started.\n');
        return ExitCode.Failed;
      }
      // What they said yes to, and nothing else.
      input = { plan: drawn.fingerprint, ...wanted };
    }
    const rollout = { rolloutId: randomUUID(), input: startedByHand(input), policy };
    return withEngine(options, ({ ledger }) => runRollout(rollout, service, ledger, prepared));
  });
}
