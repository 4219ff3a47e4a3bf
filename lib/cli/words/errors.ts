import type { describeGate } from '../../domain/ending/failure.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../../domain/errors.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import type { Outcome } from '../../domain/rollout/outcome.ts';
import { APPROVAL_TIMED_OUT } from '../../domain/signals/approve.ts';
import type { LeftToDo } from '../../domain/story/fates.ts';
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

/** The commands that help after a rollout that did not succeed, in one line. What helps most comes first. */
export function hintsAfter(ended: Outcome, left: LeftToDo, about: AboutRollout): string[] {
  if (ended.outcome === 'Succeeded') return [];
  const hints = hintsFor(ended.reason, about);
  if (hints.length > 0) return hints;
  const [first = TO_SEE, ...others] = [...toGoOn(ended, left), TO_SEE];
  const rest = others.map((one) => `; ${one.charAt(0).toLowerCase()}${one.slice(1)}`);
  return [fillIn(`${first}${rest.join('')}.`, about)];
}

/** The same one by one, for those who look at what was done already: `To try again: "steproll rollout retry 7"`. */
export function stepsAfter(ended: Outcome, left: LeftToDo, about: AboutRollout): string[] {
  const hints = ended.outcome === 'Succeeded' ? [] : hintsFor(ended.reason, about);
  if (hints.length > 0) return hints;
  return toGoOn(ended, left).map((step) => fillIn(step, about));
}

function isGroup({ runtimeId }: AboutRollout): boolean {
  return runtimeId !== undefined && groupNameOf(runtimeId) !== null;
}

/**
 * What is left of a version that something has spoken against is taken back first, and that version is not offered
 * again. What is stuck may get there once its cause is gone.
 */
function toGoOn({ outcome, failure, reason }: Outcome, left: LeftToDo): readonly string[] {
  const { toRoll, toTakeBack, wasToGoBack } = left;
  const back = toTakeBack ? [TO_TAKE_BACK] : [];
  const again = toRoll === 'nothing' ? [] : [TO_RETRY[toRoll]];
  if (outcome === 'Superseded' || outcome === 'Succeeded') return [];
  // Before there is a plan, nothing was rolled to the version. An approval that did not come says nothing of it.
  const isUnjudged = toRoll === 'unplanned' || reason === APPROVAL_TIMED_OUT;
  if (outcome === 'Failed' && !isUnjudged) {
    const isWorthATry = failure === 'stuck' && toRoll === 'something';
    return [...back, isWorthATry ? TO_TRY_AGAIN : TO_ROLL_NEWER];
  }
  // The way back came to no end. Another rollout to the version would roll it on.
  if (outcome === 'Errored' && wasToGoBack) return [...back, TO_ROLL_NEWER];
  // Nobody has said anything about the version, except where its gates were to say it, or where a person has ended it.
  const isDoubted = outcome === 'Aborted' || reason === GATE_UNKNOWN;
  return isDoubted ? [...back, ...again] : [...again, ...back];
}

const TO_TAKE_BACK = 'To take back what was rolled: "steproll rollout revert ID"';
const TO_TRY_AGAIN = 'To try again, once the cause is gone: "steproll rollout retry ID"';
const TO_ROLL_NEWER = 'To roll a newer version: "steproll rollout start RUNTIME --version N"';
const TO_RETRY = {
  unplanned: 'To start it again: "steproll rollout retry ID"',
  something: 'To roll what is left: "steproll rollout retry ID"',
} as const;

const GATE_UNKNOWN: Parameters<typeof describeGate>[0] = 'GateUnknown';

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
