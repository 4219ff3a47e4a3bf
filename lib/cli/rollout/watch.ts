import * as z from 'zod';
import { adviceOnAccess } from '../../adapters/aws/aws-errors.ts';
import { systemClock } from '../../adapters/machine/clock.ts';
import { commandOf } from '../../domain/command.ts';
import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { jsonLine, plainLines } from '../../telling/text.ts';
import type { WatchLine } from '../../telling/view/watch-lines.ts';
import { type AboutRollout, describeError, hintsFor } from '../../telling/words/errors.ts';
import { NeverBegun } from '../engine/engine.ts';
import { type EngineOptions, engineArguments, watchCommand } from '../engine/open-engine.ts';
import { answerTo, ExitCode, exitCodeOfOutcome } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { onInterrupt } from '../invocation/process.ts';
import { openView } from '../live/open-view.ts';
import type { LiveView } from '../live/view.ts';
import { shownShape } from '../options/rollout-options.ts';
import { prepare } from '../settings/prepare.ts';
import type { HowToPrint } from '../terminal/print-result.ts';
import { createScreen } from '../terminal/screen.ts';
import { type Following, followRollout } from './follow.ts';
import { chooseRollout } from './group.ts';
import { withRollout } from './named-rollout.ts';
import { type EndedRollout, endOf, findHolder, printOutcome, toResult } from './result.ts';

export interface Watching extends Omit<Following, 'view' | 'clock' | 'readMs'> {
  /** What was asked for, as far as a command knows it that has asked for it. @default - the record has it, if any */
  readonly asked?: Pick<AboutRollout, 'runtimeId' | 'version'>;
  readonly ledger: Pick<Ledger, 'read' | 'listHeld'>;
  readonly how: HowToPrint & EngineOptions;
  /** The view that shows the rollout. @default - a picture on a terminal, lines anywhere else, both on stderr */
  readonly view?: LiveView;
  /** Prints the result. @default - in the form that the options ask for, on stdout */
  readonly print?: (ended: EndedRollout) => void | Promise<void>;
  /** Ends the watching. @default - Ctrl-C does */
  readonly signal?: AbortSignal;
  /** @default - the machine's own */
  readonly clock?: Clock;
}

/** Milliseconds between two reads of the ledger. On AWS each read costs money. */
const READ_MS = { embedded: 1_000, aws: 2_000 } as const;

/**
 * Watches a rollout that runs elsewhere until it ends, prints its result and answers the exit code. The watching
 * never touches the rollout.
 */
export async function watchRollout(watching: Watching): Promise<number> {
  const { rolloutId, ledger, how, clock = systemClock } = watching;
  const engine = engineArguments(how);
  const { print = (ended) => printOutcome(ended, how, { engine }) } = watching;
  const { signal, release } =
    watching.signal === undefined ? onInterrupt() : { signal: watching.signal, release() {} };
  const { view = (await openView(await createScreen(process.stderr), clock, engine)).view } =
    watching;
  const readMs = READ_MS[how['--engine']];
  let record: AskedRollout | null;
  try {
    record = await followRollout({ ...watching, clock, view, readMs }, signal);
  } catch (error) {
    if (error instanceof NeverBegun) {
      const { reason } = error.ending;
      const holder = await findHolder({ reason, message: error.message }, ledger);
      const hints = hintsFor(reason, { ...watching.asked, rolloutId: holder, engine });
      const lines = [plainLines(`${reason}: ${error.message}`), ...hints];
      process.stderr.write(`${lines.join('\n')}\n`);
      return exitCodeOfOutcome(error.ending);
    }
    if (!isNotKnown(errorNameOf(error))) throw error;
    process.stderr.write(`${describeError(error)}\n${adviceOn(error, rolloutId, how)}`);
    return ExitCode.Unknown;
  } finally {
    view.end();
    release();
  }
  const ended = record && endOf(record);
  if (ended === null && !signal.aborted) {
    process.stderr.write(
      `${SEEMS_DEAD}\n  ${commandOf(['rollout', 'resume', rolloutId], engine)}\n`,
    );
    return ExitCode.Unknown;
  }
  if (ended === null) {
    process.stderr.write(`Detached. The rollout was not touched.\n${comeBack(rolloutId, how)}`);
    return ExitCode.Interrupted;
  }
  await print({ ...ended, holder: await findHolder(ended.outcome, ledger) });
  return exitCodeOfOutcome(ended.outcome);
}

const SEEMS_DEAD =
  'The process of the rollout seems to be dead, and nothing has gone on with it. A listener that is started again does. To go on with it here:';

/** After such an error the state of the rollout is unknown, which must not look like the rollout's own end. */
function isNotKnown(name: string): boolean {
  return answerTo(name).isSilence === true || name === ErrorName.RolloutNotFound;
}

function adviceOn(error: unknown, rolloutId: string, how: EngineOptions): string {
  const name = errorNameOf(error);
  if (name === ErrorName.RolloutNotFound) {
    return `To see what there is:\n  ${commandOf(['rollout', 'list'], engineArguments(how))}\n`;
  }
  // All other errors of AWS contain their advice already.
  const access = name === ErrorName.LedgerUnavailable ? adviceOnAccess(error) : null;
  const first = access === null ? '' : `${access}\n`;
  return `${first}How it goes on is not known. ${comeBack(rolloutId, how)}`;
}

function comeBack(rolloutId: string, how: EngineOptions): string {
  return `To see how it goes on:\n  ${watchCommand(rolloutId, how)}\n`;
}

const optionsSchema = z.strictObject(shownShape);

/** `steproll rollout watch`: follows a rollout that runs elsewhere, and ends with its exit code. */
export async function rolloutWatch(invocation: Invocation): Promise<number> {
  const { options } = await prepare(optionsSchema, invocation);
  const isStream = options['--output'] === 'json' && options['--query'] === undefined;
  const { createJsonView } = await import('../live/json-lines.ts');
  const writeLine = (line: WatchLine) => void process.stdout.write(`${jsonLine(line)}\n`);
  return withRollout(options, async (engine, named) =>
    watchRollout({
      ...engine,
      rolloutId: await chooseRollout(named, options['--runtime'], engine.ledger),
      how: options,
      ...(isStream && {
        view: createJsonView(writeLine, systemClock, engineArguments(options)),
        print: (ended) => writeLine({ kind: 'result', ...toResult(ended) }),
      }),
    }),
  );
}
