import * as z from 'zod';
import { systemClock } from '../../adapters/machine/clock.ts';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { storyOf } from '../../telling/story/story.ts';
import { widthOf } from '../../telling/width.ts';
import { describeChild } from '../../telling/words/children.ts';
import { describeStep } from '../../telling/words/errors.ts';
import { describeStory, section } from '../../telling/words/story.ts';
import { viewOf } from '../../telling/words/view.ts';
import type { Engine } from '../engine/engine.ts';
import { engineArguments } from '../engine/open-engine.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { shownShape } from '../options/rollout-options.ts';
import { prepare } from '../settings/prepare.ts';
import { isForPeople, printResult } from '../terminal/print-result.ts';
import { createScreen } from '../terminal/screen.ts';
import { readAround } from './around.ts';
import { chooseRollout } from './group.ts';
import { withRollout } from './named-rollout.ts';

const optionsSchema = z.strictObject(shownShape);

/** `steproll rollout show`: prints the story of a rollout, whether it has ended or not. */
export async function rolloutShow(invocation: Invocation): Promise<number> {
  const { options } = await prepare(optionsSchema, invocation);
  const { record, isAbandoned, around } = await withRollout(options, async (engine, named) => {
    const rolloutId = await chooseRollout(named, options['--runtime'], engine.ledger);
    const record = await engine.ledger.read(rolloutId).catch((error: unknown) => {
      return tellExecution(error, rolloutId, engine);
    });
    return {
      record,
      isAbandoned: await engine.isAbandoned(rolloutId),
      around: await readAround(record, engine.ledger),
    };
  });
  const story = storyOf(record, systemClock.now(), isAbandoned);
  const view = viewOf(story, engineArguments(options), around);
  if (isForPeople(options)) {
    const screen = { ...(await createScreen(process.stdout)), columns: widthOf(process.stdout) };
    const lines = [
      ...describeStory(story, screen, view),
      ...section('What you can do', view.next.map(describeStep), screen),
      ...section('Rollouts of its runtimes', around.children.map(describeChild), screen),
    ];
    for (const line of lines) screen.line(line);
  } else {
    printResult(view, options);
  }
  return ExitCode.Done;
}

/** How the execution of a rollout stands that the ledger cannot tell. @throws the error of the ledger, with that. */
async function tellExecution(error: unknown, rolloutId: string, engine: Engine): Promise<never> {
  const name = ASKED_FOR.find((one) => one === errorNameOf(error));
  // The error is worth more than what the execution says.
  const said = name ? await engine.describeExecution(rolloutId).catch(() => null) : null;
  if (name === undefined || said === null) throw error;
  throw new SteprollError(name, `${errorMessageOf(error)} ${said}`, { cause: error });
}

const ASKED_FOR = [ErrorName.RolloutNotFound, ErrorName.LedgerUnavailable] as const;
