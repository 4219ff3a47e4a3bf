import { ErrorName, errorMessageOf, errorNameOf } from '../../domain/errors.ts';
import { answerTo } from '../invocation/error-answers.ts';
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
  const { hint } = answerTo(name);
  if (hint === undefined) return [];
  const commands = hint.replaceAll(ROLLOUT_COMMAND, (command) => {
    return `${command.replace(/ ID$/, () => ` ${rolloutId}`)}${engine}`;
  });
  return [plainText(commands.replaceAll(/ RUNTIME\b/g, () => ` ${runtimeId}`))];
}

/** A command between quotation marks. */
const ROLLOUT_COMMAND = /steproll rollout [^"]+/g;

/** An error that people can read and scripts can search for: its name, then its sentences. */
export function describeError(error: unknown): string {
  const message = plainLines(errorMessageOf(error));
  const name = errorNameOf(error);
  // The list of mistakes has its own heading.
  return name === ErrorName.InvalidInput ? message : `${name}: ${message}`;
}
