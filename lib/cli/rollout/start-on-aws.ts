import { randomUUID } from 'node:crypto';
import type { RolloutInput } from '../../contract/rollout-input.ts';
import { hasPerson, terminalOfProcess } from '../ask/ask.ts';
import { confirm } from '../ask/confirm.ts';
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
    readonly '--watch': boolean;
    readonly '--detach': boolean;
  };

/** Starts a rollout on AWS, and watches it where somebody looks or asks for it. Answers the exit code. */
export async function startOnAws(input: RolloutInput, options: Options): Promise<number> {
  const engine = await openAwsEngine(options);
  if (!options['--yes'] && !(await confirm(questionOf(input, options)))) {
    process.stderr.write('Not started.\n');
    return ExitCode.Done;
  }
  const rolloutId = randomUUID();
  await engine.start(rolloutId, startedByHand(input));
  const isWatched = options['--watch'] || hasPerson(terminalOfProcess());
  if (options['--detach'] || !isWatched) {
    reportStart(rolloutId, input, options);
    return ExitCode.Done;
  }
  process.stderr.write(`Rollout ${rolloutId}\n`);
  return watchRollout({
    rolloutId,
    ledger: engine.ledger,
    how: options,
    describeWaiting: () => engine.describeWaiting(rolloutId),
  });
}

function questionOf({ runtimeId, version, versionFrom }: RolloutInput, options: Options): string {
  const to = version ?? `what is live on ${versionFrom?.endpoint}`;
  return plainText(
    `Roll ${runtimeId} to version ${to} with the stack ${options['--stack']} on AWS?`,
  );
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
