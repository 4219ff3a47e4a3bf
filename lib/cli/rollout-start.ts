import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { readEnvironment } from '../adapters/environment.ts';
import { openSqliteLedger } from '../adapters/ledger/sqlite-ledger.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { planRollout } from '../domain/plan/plan-rollout.ts';
import type { EndpointService } from '../ports/endpoint-service.ts';
import { readStableList } from '../steps/read-stable-list.ts';
import { confirm } from './confirm.ts';
import { connect } from './connect.ts';
import { ExitCode, exitCodeOfOutcome } from './exit-code.ts';
import { onInterrupt } from './interrupt.ts';
import { parseRolloutOptions, type RolloutOptions } from './rollout-options.ts';
import { describeOutcome } from './view/describe-outcome.ts';
import { describePlan } from './view/describe-plan.ts';
import { createScreen } from './view/screen.ts';
import { type ShownRollout, showRollout } from './view/show-rollout.ts';

/** `steproll rollout start`: runs a rollout to its end and answers the exit code. */
export async function rolloutStart(given: Readonly<Record<string, unknown>>): Promise<number> {
  const options = parseRolloutOptions(given);
  const service = connect(options.endpointUrl, options.debug);
  try {
    if (!options.yes && !(await isWanted(options, service))) {
      process.stderr.write('Not started.\n');
      return ExitCode.Done;
    }
    return await run(options, service, join(readEnvironment().stateDirectory, 'ledger.sqlite'));
  } finally {
    await service.close();
  }
}

/** Shows what would be done and asks. */
async function isWanted(options: RolloutOptions, service: EndpointService): Promise<boolean> {
  const { runtimeId, version, policy } = options;
  const plan = planRollout(await readStableList(service, runtimeId), version, policy);
  const lines = describePlan(plan, runtimeId, version, policy);
  process.stderr.write(`${lines.join('\n')}\n`);
  return confirm('Start this rollout?');
}

async function run(
  options: RolloutOptions,
  service: EndpointService,
  ledgerFile: string,
): Promise<number> {
  const { runtimeId, version, policy } = options;
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
    report(rolloutId, options, shown);
    return exitCodeOfOutcome(shown.outcome.outcome);
  } finally {
    interrupt.release();
    end();
  }
}

/** The result goes to stdout, in the form that was asked for. */
function report(rolloutId: string, options: RolloutOptions, shown: ShownRollout): void {
  const { outcome, elapsedMs } = shown;
  const screen = createScreen(process.stdout);
  if (options.output !== 'table') {
    const log = createScreen(process.stderr);
    for (const line of describeOutcome(outcome, elapsedMs, log)) log.line(line);
  }
  switch (options.output) {
    case 'id':
      screen.line(rolloutId);
      break;
    case 'json': {
      const { runtimeId, version } = options;
      const seconds = Math.round(elapsedMs / 1000);
      screen.line(JSON.stringify({ rolloutId, runtimeId, version, ...outcome, seconds }));
      break;
    }
    case 'table':
      for (const line of describeOutcome(outcome, elapsedMs, screen)) screen.line(line);
      break;
    default:
      options.output satisfies never;
  }
}
