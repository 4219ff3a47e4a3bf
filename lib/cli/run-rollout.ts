import { join } from 'node:path';
import { readEnvironment } from '../adapters/environment.ts';
import { openGates } from '../adapters/gates/open-gates.ts';
import { openSqliteLedger } from '../adapters/ledger/sqlite-ledger.ts';
import { systemClock } from '../adapters/system-clock.ts';
import type { RolloutInput } from '../contract/rollout-input.ts';
import type { RolloutPolicy } from '../domain/policy.ts';
import type { RolloutRecord } from '../domain/rollout.ts';
import type { EndpointService } from '../ports/endpoint-service.ts';
import type { Ledger } from '../ports/ledger.ts';
import { exitCodeOfOutcome } from './exit-code.ts';
import { onInterrupt } from './interrupt.ts';
import { type HowToPrint, printResult } from './print-result.ts';
import { describeOutcome } from './view/describe-outcome.ts';
import { createScreen } from './view/screen.ts';
import { type ShownRollout, showRollout } from './view/show-rollout.ts';

export interface WantedRollout {
  readonly rolloutId: string;
  readonly input: RolloutInput;
  readonly policy: RolloutPolicy;
  /** What the ledger has of it already. @default - it is new */
  readonly known?: RolloutRecord;
}

/** Works with the ledger of this machine, and closes it. */
export async function withLedger<T>(work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const { ledger, end } = openSqliteLedger(join(readEnvironment().stateDirectory, 'ledger.sqlite'));
  try {
    return await work(ledger);
  } finally {
    end();
  }
}

/** Runs a rollout in this process, shows it, prints its result and answers the exit code. */
export async function runRollout(
  wanted: WantedRollout,
  service: EndpointService,
  ledger: Ledger,
  how: HowToPrint,
): Promise<number> {
  const { rolloutId, input, policy, known } = wanted;
  // Whoever has to resume it needs the id, and a process that was killed cannot say it any more.
  process.stderr.write(`Rollout ${rolloutId}\n`);
  const interrupt = onInterrupt();
  try {
    const context = {
      service,
      ledger,
      clock: systemClock,
      gates: openGates(),
      policyOf: () => policy,
    };
    const shown = await showRollout(
      { rolloutId, input, context, signal: interrupt.signal },
      createScreen(process.stderr),
      known,
    );
    report(wanted, shown, how);
    return exitCodeOfOutcome(shown.outcome.outcome);
  } finally {
    interrupt.release();
  }
}

/** The result goes to stdout in the form that was asked for; the sentences for people go with it or to stderr. */
function report(
  { rolloutId, input }: WantedRollout,
  { outcome, elapsedMs, model }: ShownRollout,
  how: HowToPrint,
): void {
  const isForPeople = how['--output'] === 'table' && how['--query'] === undefined;
  const screen = createScreen(isForPeople ? process.stdout : process.stderr);
  for (const line of describeOutcome(outcome, elapsedMs, screen)) screen.line(line);
  if (isForPeople) return;
  const { runtimeId } = input;
  const seconds = Math.round(elapsedMs / 1000);
  const version = model.desiredVersion;
  printResult({ rolloutId, runtimeId, version, ...outcome, seconds }, how);
}
