import { ErrorName, errorMessageOf, errorNameOf } from '../../domain/errors.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import type { Outcome } from '../../domain/rollout/outcome.ts';
import { APPROVAL_TIMED_OUT } from '../../domain/signals/approve.ts';
import type { LeftToRoll } from '../../domain/story/fates.ts';
import { answerTo, TO_SEE } from '../invocation/exit-code.ts';
import { plainLines, plainText } from '../terminal/text.ts';

export interface AboutRollout {
  /** Id of the rollout that the error is about. @default - not known, so the command is the one that finds it */
  readonly rolloutId?: string | undefined;
  /** Id of the runtime that the error is about. @default - not known, so it is left out */
  readonly runtimeId?: string | undefined;
  /** The version that was asked for. @default - not known, so it is left to the reader */
  readonly version?: string | number | null | undefined;
  /** The arguments with which a command finds the engine. @default - none */
  readonly engine?: string;
  /** The configuration that was named. @default - none was */
  readonly config?: string | undefined;
}

/**
 * The command that helps after an error, in one line. There is no line when the error's own sentences say everything.
 */
export function hintsFor(name: string, about: AboutRollout): string[] {
  const { hint } = answerTo(name);
  // What a group rolls are runtimes, which no command lists.
  const isListless = isGroup(about) && hint?.includes(' endpoint list ');
  return hint === undefined || isListless ? [] : [fillIn(hint, about)];
}

/**
 * The commands that help after a rollout that did not succeed, in one line.
 *
 * @param left What another rollout to the same version would have to roll.
 */
export function hintsAfter(ended: Outcome, left: LeftToRoll, about: AboutRollout): string[] {
  if (ended.outcome === 'Succeeded') return [];
  const hints = hintsFor(ended.reason, about);
  return hints.length > 0 ? hints : [fillIn(`${TO_SEE}${toGoOn(ended, left)}.`, about)];
}

function isGroup({ runtimeId }: AboutRollout): boolean {
  return runtimeId !== undefined && groupNameOf(runtimeId) !== null;
}

/** The same version is offered again only when nothing has spoken against it. */
function toGoOn({ outcome, reason }: Outcome, left: LeftToRoll): string {
  if (outcome === 'Superseded') return '';
  // Before there is a plan, nothing was rolled to the version. An approval that did not come says nothing of it.
  const isBad = outcome === 'Failed' && left !== 'unplanned' && reason !== APPROVAL_TIMED_OUT;
  if (isBad) return '; with a newer version: "steproll rollout start RUNTIME --version N"';
  if (left === 'nothing') return '';
  const what = left === 'unplanned' ? 'to start it again' : 'to roll what is left';
  return `; ${what}: "steproll rollout retry ID"`;
}

function fillIn(
  hint: string,
  { rolloutId, runtimeId, version, engine = '', config = 'FILE' }: AboutRollout,
): string {
  const text = rolloutId === undefined && / ID\b/.test(hint) ? TO_FIND : hint;
  const commands = text.replaceAll(ROLLOUT_COMMAND, (command) => {
    return `${command.replace(/ ID\b/, () => ` ${rolloutId}`)}${engine}`;
  });
  const ofRuntime = runtimeId === undefined ? '' : ` ${asArgument(runtimeId)}`;
  return plainText(
    commands
      .replaceAll(/ RUNTIME\b/g, () => ofRuntime)
      .replaceAll(/ VERSION\b/g, ` ${version ?? 'N'}`)
      .replaceAll(/ FILE\b/g, () => ` ${config}`),
  );
}

/** How people name what a rollout rolls: a runtime, or a group. */
export function asArgument(runtimeId: string): string {
  const group = groupNameOf(runtimeId);
  return group === null ? runtimeId : `--group ${group}`;
}

const TO_FIND = 'To find that rollout: "steproll rollout list RUNTIME".';

/** A command between quotation marks. */
const ROLLOUT_COMMAND = /steproll rollout [^"]+/g;

/** An error that people can read and scripts can search for: its name, then its sentences. */
export function describeError(error: unknown): string {
  const message = plainLines(errorMessageOf(error));
  const name = errorNameOf(error);
  // The list of mistakes has its own heading.
  return name === ErrorName.InvalidInput ? message : `${name}: ${message}`;
}
