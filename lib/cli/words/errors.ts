import { ErrorName, errorMessageOf, errorNameOf } from '../../domain/errors.ts';
import type { Outcome } from '../../domain/rollout/outcome.ts';
import { answerTo, TO_SEE_OR_RETRY } from '../invocation/error-answers.ts';
import { plainLines, plainText } from '../terminal/text.ts';

interface AboutRollout {
  /** Id of the rollout that the error is about. @default - not known, so the command is the one that finds it */
  readonly rolloutId?: string | undefined;
  /** Id of the runtime that the error is about. @default - not known, so it is left out */
  readonly runtimeId?: string | undefined;
  /** The arguments with which a command finds the engine. @default - none */
  readonly engine?: string;
}

/**
 * The command that helps after an error, in one line. There is no line when the error's own sentences say everything.
 */
export function hintsFor(name: string, about: AboutRollout): string[] {
  const { hint } = answerTo(name);
  return hint === undefined ? [] : [fillIn(hint, about)];
}

/** The commands that help after a rollout that did not succeed, in one line. */
export function hintsAfter({ outcome, reason }: Outcome, about: AboutRollout): string[] {
  if (outcome === 'Succeeded') return [];
  const hint = answerTo(reason).hint ?? (outcome === 'Superseded' ? TO_SEE : TO_SEE_OR_RETRY);
  return [fillIn(hint, about)];
}

function fillIn(hint: string, { rolloutId, runtimeId, engine = '' }: AboutRollout): string {
  const text = rolloutId === undefined && / ID"/.test(hint) ? TO_FIND : hint;
  const commands = text.replaceAll(ROLLOUT_COMMAND, (command) => {
    return `${command.replace(/ ID$/, () => ` ${rolloutId}`)}${engine}`;
  });
  const ofRuntime = runtimeId === undefined ? '' : ` ${runtimeId}`;
  return plainText(commands.replaceAll(/ RUNTIME\b/g, () => ofRuntime));
}

const TO_FIND = 'To find that rollout: "steproll rollout list RUNTIME".';
const TO_SEE = 'To see what was done: "steproll rollout show ID".';

/** A command between quotation marks. */
const ROLLOUT_COMMAND = /steproll rollout [^"]+/g;

/** An error that people can read and scripts can search for: its name, then its sentences. */
export function describeError(error: unknown): string {
  const message = plainLines(errorMessageOf(error));
  const name = errorNameOf(error);
  // The list of mistakes has its own heading.
  return name === ErrorName.InvalidInput ? message : `${name}: ${message}`;
}
