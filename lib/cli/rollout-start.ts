import { randomUUID } from 'node:crypto';
import { hasPerson, terminalOfProcess } from './ask.ts';
import { confirm } from './confirm.ts';
import { connect } from './connect.ts';
import { drawPlan } from './draw-plan.ts';
import { ExitCode } from './exit-code.ts';
import type { Invocation } from './invocation.ts';
import { policyOf } from './policy-options.ts';
import { prepare } from './prepare.ts';
import { inputOf, startOptionsSchema } from './rollout-options.ts';
import { runRollout, withLedger } from './run-rollout.ts';
import { describePlan } from './view/describe-plan.ts';

/** `steproll rollout start`: runs a rollout to its end and answers the exit code. */
export async function rolloutStart(invocation: Invocation): Promise<number> {
  const prepared = await prepare(startOptionsSchema, withSomebodyToAsk(invocation));
  const { options, config } = prepared;
  const policy = policyOf(options, config, options['runtime-id']);
  const service = connect(prepared);
  let input = inputOf(options);
  try {
    if (!options['--yes']) {
      const drawn = await drawPlan(options, policy, service);
      process.stderr.write(`${describePlan(drawn).join('\n')}\n`);
      if (!(await confirm('Start this rollout?'))) {
        process.stderr.write('Not started.\n');
        return ExitCode.Done;
      }
      // What they said yes to, and nothing else.
      input = { plan: drawn.fingerprint, ...input };
    }
    const wanted = { rolloutId: randomUUID(), input, policy };
    return await withLedger((ledger) => runRollout(wanted, service, ledger, options));
  } finally {
    await service.close();
  }
}

/** Whether there is anybody is known before the plan is drawn that they are asked about. */
function withSomebodyToAsk(invocation: Invocation): Invocation {
  if (invocation.given['--yes'] === true || hasPerson(terminalOfProcess())) return invocation;
  const mistake = '--yes: missing; without a terminal there is nobody to ask';
  return { ...invocation, mistakes: [...invocation.mistakes, mistake] };
}
