import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { readEnvironment } from '../adapters/environment.ts';
import { openSqliteLedger } from '../adapters/ledger/sqlite-ledger.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { planRollout } from '../domain/plan/plan-rollout.ts';
import type { RolloutPolicy } from '../domain/policy.ts';
import type { EndpointService } from '../ports/endpoint-service.ts';
import { readStableList } from '../steps/read-stable-list.ts';
import { confirm } from './confirm.ts';
import { connect } from './connect.ts';
import { ExitCode, exitCodeOfOutcome } from './exit-code.ts';
import { onInterrupt } from './interrupt.ts';
import type { Invocation } from './invocation.ts';
import { prepare } from './prepare.ts';
import { type HowToPrint, printResult } from './print-result.ts';
import { policyOf, rolloutOptionsSchema } from './rollout-options.ts';
import { describeOutcome } from './view/describe-outcome.ts';
import { describePlan } from './view/describe-plan.ts';
import { createScreen } from './view/screen.ts';
import { type ShownRollout, showRollout } from './view/show-rollout.ts';

/** `steproll rollout start`: runs a rollout to its end and answers the exit code. */
export async function rolloutStart(invocation: Invocation): Promise<number> {
  const prepared = await prepare(rolloutOptionsSchema, invocation);
  const { options, config } = prepared;
  const wanted: Wanted = {
    runtimeId: options['runtime-id'],
    version: options['--version'],
    policy: policyOf(options, config.policy),
  };
  const service = connect(prepared);
  try {
    if (!options['--yes'] && !(await isWanted(wanted, service))) {
      process.stderr.write('Not started.\n');
      return ExitCode.Done;
    }
    const ledgerFile = join(readEnvironment().stateDirectory, 'ledger.sqlite');
    const { rolloutId, shown } = await run(wanted, service, ledgerFile);
    report({ rolloutId, ...wanted, shown }, options);
    return exitCodeOfOutcome(shown.outcome.outcome);
  } finally {
    await service.close();
  }
}

interface Wanted {
  readonly runtimeId: string;
  readonly version: number;
  readonly policy: RolloutPolicy;
}

/** Shows what would be done and asks. */
async function isWanted(wanted: Wanted, service: EndpointService): Promise<boolean> {
  const { runtimeId, version, policy } = wanted;
  const plan = planRollout(await readStableList(service, runtimeId), version, policy);
  const lines = describePlan(plan, runtimeId, version, policy);
  process.stderr.write(`${lines.join('\n')}\n`);
  return confirm('Start this rollout?');
}

async function run(
  { runtimeId, version, policy }: Wanted,
  service: EndpointService,
  ledgerFile: string,
): Promise<{ readonly rolloutId: string; readonly shown: ShownRollout }> {
  const rolloutId = randomUUID();
  const { ledger, end } = openSqliteLedger(ledgerFile);
  const interrupt = onInterrupt();
  try {
    const shown = await showRollout(
      {
        rolloutId,
        input: { schemaVersion: 1, runtimeId, version },
        context: { service, ledger, clock: systemClock, policy },
        signal: interrupt.signal,
      },
      createScreen(process.stderr),
    );
    return { rolloutId, shown };
  } finally {
    interrupt.release();
    end();
  }
}

interface Ended extends Wanted {
  readonly rolloutId: string;
  readonly shown: ShownRollout;
}

/** The result goes to stdout in the form that was asked for; the sentences for people go with it or to stderr. */
function report({ rolloutId, runtimeId, version, shown }: Ended, how: HowToPrint): void {
  const { outcome, elapsedMs } = shown;
  const isForPeople = how['--output'] === 'table' && how['--query'] === undefined;
  const screen = createScreen(isForPeople ? process.stdout : process.stderr);
  for (const line of describeOutcome(outcome, elapsedMs, screen)) screen.line(line);
  if (isForPeople) return;
  const seconds = Math.round(elapsedMs / 1000);
  printResult({ rolloutId, runtimeId, version, ...outcome, seconds }, how);
}
