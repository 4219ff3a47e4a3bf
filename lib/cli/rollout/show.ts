import * as z from 'zod';
import { systemClock } from '../../adapters/machine/clock.ts';
import { toRolloutReport } from '../../contract/output/report.ts';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { whatPauses } from '../../domain/holds/what-holds.ts';
import { wasOpened } from '../../domain/rollout/record.ts';
import { storyOf } from '../../domain/story/story.ts';
import { readChildren } from '../../steps/group/children.ts';
import type { Engine } from '../engine/engine.ts';
import { engineArguments, withHistory } from '../engine/open-engine.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { shownShape } from '../options/rollout-options.ts';
import { prepare } from '../settings/prepare.ts';
import { isForPeople, printResult } from '../terminal/print-result.ts';
import { createScreen } from '../terminal/screen.ts';
import { widthOf } from '../terminal/width.ts';
import { describeChild } from '../words/children.ts';
import { describeStep, stepsAfter } from '../words/errors.ts';
import { linesOf, listWants, wantsOfHolds } from '../words/phase.ts';
import { describeStory, section } from '../words/story.ts';
import { chooseRollout } from './group.ts';
import { readTrackRecords } from './track-records.ts';

const optionsSchema = z.strictObject(shownShape);

/** `steproll rollout show`: prints the story of a rollout, whether it has ended or not. */
export async function rolloutShow(invocation: Invocation): Promise<number> {
  const { options } = await prepare(optionsSchema, invocation);
  const { record, isAbandoned, children, tracks, holds } = await withHistory(
    options,
    async (engine) => {
      const rolloutId = await chooseRollout(options, engine.ledger);
      const record = await engine.ledger.read(rolloutId).catch((error: unknown) => {
        return tellExecution(error, rolloutId, engine);
      });
      return {
        record,
        isAbandoned: await engine.isAbandoned(rolloutId),
        children: await readChildren(record, engine.ledger),
        tracks: await readTrackRecords(record, engine.ledger),
        holds: record.outcome === null ? await engine.ledger.listHolds() : [],
      };
    },
  );
  const engine = engineArguments(options);
  const next = stepsAfter(record, engine);
  const now = systemClock.now();
  const story = storyOf(record, now, isAbandoned);
  if (isForPeople(options)) {
    const screen = { ...(await createScreen(process.stdout)), columns: widthOf(process.stdout) };
    // What has not begun says by itself what it waits for.
    const pauses = wasOpened(record) ? whatPauses(record.request, holds, now) : [];
    const wants = linesOf([...wantsOfHolds(pauses, engine), ...listWants(story, engine)]);
    for (const line of describeStory(story, screen, wants, tracks)) screen.line(line);
    for (const line of section('What you can do', next.map(describeStep), screen))
      screen.line(line);
    for (const line of section('Rollouts of its runtimes', children.map(describeChild), screen))
      screen.line(line);
  } else {
    printResult(toRolloutReport(record, story.at, children, tracks, next), options);
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
