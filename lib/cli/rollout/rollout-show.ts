import * as z from 'zod';
import { systemClock } from '../../adapters/system-clock.ts';
import { toRolloutReport } from '../../contract/rollout-report.ts';
import { withEngine } from '../engine/with-engine.ts';
import { ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { isForPeople } from '../options/is-for-people.ts';
import { rolloutShape } from '../options/signal-options.ts';
import { prepare } from '../settings/prepare.ts';
import { describeStory } from '../view/describe-story.ts';
import { printResult } from '../view/print-result.ts';
import { createScreen } from '../view/screen.ts';

const optionsSchema = z.strictObject(rolloutShape);

/** `steproll rollout show`: tells the story of a rollout, whether it has ended or not. */
export async function rolloutShow(invocation: Invocation): Promise<number> {
  const { options } = await prepare(optionsSchema, invocation);
  const record = await withEngine(options, ({ ledger }) => ledger.read(options['rollout-id']));
  const now = systemClock.now();
  if (isForPeople(options)) {
    const screen = createScreen(process.stdout);
    for (const line of describeStory(record, now, screen)) screen.line(line);
  } else {
    printResult(toRolloutReport(record, now), options);
  }
  return ExitCode.Done;
}
