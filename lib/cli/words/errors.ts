import { ErrorName, errorMessageOf, errorNameOf } from '../../domain/errors.ts';
import { plainLines, plainText } from '../terminal/text.ts';

interface AboutRollout {
  /** Id of the rollout that the error is about. @default - not known, `ID` */
  readonly rolloutId?: string | undefined;
  /** Id of the runtime that the error is about. @default - not known, `RUNTIME` */
  readonly runtimeId?: string | undefined;
  /** The arguments with which a command finds the engine. @default - none */
  readonly engine?: string;
}

/**
 * The command that helps after an error, in one line. There is no line when the error's own sentences say everything.
 */
export function hintsFor(
  name: string,
  { rolloutId = 'ID', runtimeId = 'RUNTIME', engine = '' }: AboutRollout,
): string[] {
  const hint = HINTS.get(name);
  if (hint === undefined) return [];
  const commands = hint.replaceAll(ROLLOUT_COMMAND, (command) => {
    return `${command.replace(/ ID$/, () => ` ${rolloutId}`)}${engine}`;
  });
  return [plainText(commands.replaceAll(/ RUNTIME\b/g, () => ` ${runtimeId}`))];
}

/** A command between quotation marks. */
const ROLLOUT_COMMAND = /steproll rollout [^"]+/g;

const HINTS: ReadonlyMap<string, string> = new Map<ErrorName, string>([
  [ErrorName.ApprovalNotWanted, 'To see what it is at: "steproll rollout show ID".'],
  [ErrorName.DowngradeRefused, 'If it is meant: "steproll rollout start" with --allow-downgrade.'],
  [
    ErrorName.EmptyScope,
    'To see the endpoints: "steproll agent runtime endpoint list RUNTIME --all"; --select and --exclude choose among them.',
  ],
  [
    ErrorName.LeaseHeld,
    'To see that rollout: "steproll rollout show ID" or "steproll rollout watch ID"; to end it: "steproll rollout abort ID".',
  ],
  [
    ErrorName.LeaseLost,
    'To see which rollout has the runtime now: "steproll rollout list RUNTIME".',
  ],
  [ErrorName.OutsideWindow, 'If it cannot wait: "steproll rollout start" with --any-time.'],
  [
    ErrorName.PlanChanged,
    'To see the plan as it is now: "steproll rollout plan" with the same options; its fingerprint is for --plan.',
  ],
  [ErrorName.PortUnavailable, 'To use another port: --port N; 0 takes any that is free.'],
  [
    ErrorName.RolloutClosed,
    'To see what was done: "steproll rollout show ID"; to roll what is left: "steproll rollout retry ID".',
  ],
  [
    ErrorName.RolloutNotFound,
    'To see what there is: "steproll rollout list"; --engine says where it is looked for. A release that was refused has started none: docs/runbook.md.',
  ],
  [
    ErrorName.VersionStepRefused,
    'If it is meant: "steproll rollout start" with --max-version-step N.',
  ],
  [
    ErrorName.VersionUnknown,
    'To say the version yourself: --version N in the place of --version-from.',
  ],
]);

/** An error that people can read and scripts can search for: its name, then its sentences. */
export function describeError(error: unknown): string {
  const message = plainLines(errorMessageOf(error));
  const name = errorNameOf(error);
  // The list of mistakes has its own heading.
  return name === ErrorName.InvalidInput ? message : `${name}: ${message}`;
}
