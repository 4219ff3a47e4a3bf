import type { RolloutReport } from '../../contract/output/report.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../../domain/errors.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import type { Outcome } from '../../domain/rollout/outcome.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import {
  type Left,
  leftAfter,
  type NextStep,
  nextStepsAfter,
} from '../../domain/story/next-steps.ts';
import { answerTo, TO_SEE } from '../invocation/exit-code.ts';
import { plainLines, plainText } from '../terminal/text.ts';

type ToldStep = RolloutReport['next'][number];

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
export function hintsAfter(ended: Outcome, left: Left, about: AboutRollout): string[] {
  if (ended.outcome === 'Succeeded') return [];
  const hints = hintsFor(ended.reason, about);
  if (hints.length > 0) return hints;
  const words = nextStepsAfter(ended, left).map((step) => WORDS[step]);
  const [first = TO_SEE, ...others] = [...words, TO_SEE];
  const rest = others.map((one) => `; ${one.charAt(0).toLowerCase()}${one.slice(1)}`);
  return [fillIn(`${first}${rest.join('')}.`, about)];
}

/** The same one by one, for those who look at what was done already. @param engine As `AboutRollout` has it. */
export function stepsAfter(record: AskedRollout, engine: string): readonly ToldStep[] {
  const { outcome, request } = record;
  if (outcome === null || outcome.outcome === 'Succeeded') return [];
  const { rolloutId, runtimeId, desiredVersion: version } = request;
  const about = { rolloutId, runtimeId, version, engine };
  const hints = hintsFor(outcome.reason, about).map((hint) => toTold(null, hint));
  if (hints.length > 0) return hints;
  const left = leftAfter(record);
  return nextStepsAfter(outcome, left).map((step) => toTold(step, fillIn(WORDS[step], about)));
}

function toTold(step: NextStep | null, hint: string): ToldStep {
  const [, purpose, command] = /^(.*): "([^"]+)"\.?$/.exec(hint) ?? [];
  return purpose === undefined || command === undefined
    ? { step, purpose: hint, command: null }
    : { step, purpose, command };
}

function isGroup({ runtimeId }: AboutRollout): boolean {
  return runtimeId !== undefined && groupNameOf(runtimeId) !== null;
}

const WORDS: Readonly<Record<NextStep, string>> = {
  'take-back': 'To take back what was rolled: "steproll rollout revert ID"',
  'roll-rest': 'To roll what is left: "steproll rollout retry ID"',
  'try-again': 'To try again, once the cause is gone: "steproll rollout retry ID"',
  'start-again': 'To start it again: "steproll rollout retry ID"',
  'start-afresh':
    'To start it afresh, since every endpoint is as it was before: "steproll rollout retry ID"',
  'roll-newer': 'To roll a newer version: "steproll rollout start RUNTIME --version N"',
};

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
