import { randomUUID } from 'node:crypto';
import type { RolloutInput } from '../../contract/rollout-input.ts';
import { confirm } from '../ask/confirm.ts';
import type { AwsEngine } from '../engine/engine.ts';
import { type EngineOptions, openAwsEngine } from '../engine/with-engine.ts';
import { ExitCode } from '../exit-code.ts';
import { isForPeople } from '../options/is-for-people.ts';
import { plainText } from '../view/plain-text.ts';
import { type HowToPrint, printResult } from '../view/print-result.ts';
import { startedByHand } from './started-by-hand.ts';
import { watchCommand } from './watch-command.ts';
import { watchRollout } from './watch-rollout.ts';

type Options = EngineOptions &
  HowToPrint & {
    readonly '--yes': boolean;
    readonly '--detach': boolean;
  };

/** Starts a rollout on AWS, and watches it unless it is to be left. Answers the exit code. */
export async function startOnAws(input: RolloutInput, options: Options): Promise<number> {
  const engine = await openAwsEngine(options);
  const what = describeStart(input, options, engine);
  if (options['--yes']) {
    process.stderr.write(`${what}.\n`);
  } else if (!(await confirm(`${what}?`))) {
    process.stderr.write('Not started.\n');
    return ExitCode.Failed;
  }
  const rolloutId = randomUUID();
  // Said before it is known whether the start arrives: without an answer, this is what to look for.
  process.stderr.write(`Rollout ${rolloutId}\n`);
  await engine.start(rolloutId, startedByHand(input));
  if (options['--detach']) {
    reportStart(rolloutId, input, options);
    return ExitCode.Done;
  }
  return watchRollout({
    rolloutId,
    ledger: engine.ledger,
    how: options,
    describeWaiting: () => engine.describeWaiting(rolloutId),
  });
}

function describeStart(
  { runtimeId, version, versionFrom }: RolloutInput,
  { '--stack': stack }: Options,
  { account, region, endpointUrl = 'the service that it was deployed for' }: AwsEngine,
): string {
  const to = version ?? `what is live on ${versionFrom?.endpoint}`;
  const where = `the stack ${stack} on AWS (account ${account}, region ${region})`;
  return plainText(`Roll ${runtimeId} to version ${to} with ${where}, at ${endpointUrl}`);
}

function reportStart(rolloutId: string, { runtimeId }: RolloutInput, how: Options): void {
  if (!isForPeople(how)) {
    printResult({ rolloutId, runtimeId }, how);
    return;
  }
  process.stdout.write(
    `Started rollout ${rolloutId}. To follow it:\n  ${watchCommand(rolloutId, how)}\n`,
  );
}
