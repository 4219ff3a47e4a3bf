import { drawFaults } from '../../rehearsal/draw-faults.ts';
import { NO_FAULTS } from '../../rehearsal/faults.ts';
import { type RehearsalSeries, rehearseMany, seriesOf } from '../../rehearsal/many.ts';
import { type Rehearsal, rehearse } from '../../rehearsal/rehearse.ts';
import { type Summary, summarize } from '../../rehearsal/summary.ts';
import { plainText } from '../../telling/text.ts';
import { toRolloutView } from '../../telling/view/rollout-view.ts';
import { ExitCode, exitCodeOfOutcome, Interrupted } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { onInterrupt } from '../invocation/process.ts';
import { isForPeople, printResult } from '../terminal/print-result.ts';
import { createScreen } from '../terminal/screen.ts';
import { describeRehearsal, type ToldRehearsal } from './describe-rehearsal.ts';
import { describeProgress, describeSummaries } from './describe-rehearsals.ts';
import { policyAgainst, prepareRehearsal, type RehearsalOptions } from './prepare-rehearsal.ts';

/** `steproll rehearse`: shows how a rollout goes, or how many of them would, and changes nothing. */
export async function rehearseRollout(invocation: Invocation): Promise<number> {
  const { options, config, draw } = await prepareRehearsal(invocation);
  const { '--against': against, '--runs': runs } = options;
  const policy = against === undefined ? undefined : policyAgainst(against, options, config);
  const rehearsal = await draw();
  const other = policy && { name: `${against}`, rehearsal: { ...rehearsal, policy } };
  return runs === undefined
    ? rehearseOnce(rehearsal, other, options)
    : rehearseOften(rehearsal, other, runs, options);
}

/** What the rehearsal is compared with. */
type Other = { readonly name: string; readonly rehearsal: Rehearsal } | undefined;

/** Rehearses one rollout. @param drawnFor The rehearsal for which its faults are drawn. @default - this one */
export async function runOnce(
  rehearsal: Rehearsal,
  options: Pick<RehearsalOptions, '--seed' | '--faults'>,
  drawnFor: Rehearsal = rehearsal,
): Promise<ToldRehearsal> {
  const { '--seed': seed = 1, '--faults': level = 'few' } = options;
  const isDrawn = options['--seed'] !== undefined || options['--faults'] !== undefined;
  const faults = isDrawn ? drawFaults({ ...seriesOf(drawnFor, level).drawing, seed }) : NO_FAULTS;
  const rehearsed = await rehearse(rehearsal, faults, seed);
  return { rehearsal, faults, rehearsed, seed: isDrawn ? seed : null };
}

async function rehearseOnce(
  rehearsal: Rehearsal,
  against: Other,
  options: RehearsalOptions,
): Promise<number> {
  const own = await runOnce(rehearsal, options);
  // The same faults go wrong at the same times with both policies.
  const other = against && (await runOnce(against.rehearsal, options, rehearsal));
  if (isForPeople(options)) {
    const screen = await createScreen(process.stdout);
    const lines = describeRehearsal(own, screen);
    if (against && other) {
      const title = screen.style('bold', `Against ${plainText(against.name)}`);
      lines.push('', title, '', ...describeRehearsal(other, screen));
    }
    for (const line of lines) screen.line(line);
  } else {
    const { seed } = own;
    const drawn = { seed, faults: seed === null ? null : (options['--faults'] ?? 'few') };
    const compared = other && { against: { name: against?.name, ...resultOf(other) } };
    printResult({ ...drawn, ...resultOf(own), ...compared }, options);
  }
  return exitCodeOfOutcome(own.rehearsed.outcome);
}

function resultOf({ rehearsal, faults, rehearsed }: ToldRehearsal) {
  const { record, outcome, seconds, calls, stopped, rolledBack, toll } = rehearsed;
  const endedAt = rehearsal.startsAt + Math.ceil(seconds * 1000);
  const rollout = record === null ? null : toRolloutView(record, endedAt);
  return { ...outcome, seconds, calls, stopped, rolledBack, toll, wentWrong: faults, rollout };
}

async function rehearseOften(
  rehearsal: Rehearsal,
  against: Other,
  runs: number,
  options: RehearsalOptions,
): Promise<number> {
  const { '--seed': seed = 1, '--faults': level = 'few' } = options;
  // The same faults go wrong at the same times with both policies.
  const { drawing } = seriesOf(rehearsal, level);
  const own = { name: 'as asked', rehearsal };
  const summaries: { readonly name: string; readonly summary: Summary }[] = [];
  for (const { name, rehearsal } of against ? [own, against] : [own]) {
    const all = { done: summaries.length * runs, of: (against ? 2 : 1) * runs };
    const summary = await summarizeMany({ rehearsal, drawing }, { runs, seed }, all);
    summaries.push({ name, summary });
  }
  if (isForPeople(options)) {
    const screen = await createScreen(process.stdout);
    for (const line of describeSummaries(summaries, { rehearsal, seed, faults: level }, screen)) {
      screen.line(line);
    }
  } else {
    const [first, other] = summaries;
    const compared = other && { against: { name: other.name, ...other.summary } };
    printResult({ seed, faults: level, ...first?.summary, ...compared }, options);
  }
  return ExitCode.Done;
}

async function summarizeMany(
  series: RehearsalSeries,
  { runs, seed }: { readonly runs: number; readonly seed: number },
  before: { readonly done: number; readonly of: number },
): Promise<Summary> {
  const screen = await createScreen(process.stderr);
  const interrupt = onInterrupt();
  const show = (done: number) =>
    screen.isLive && screen.frame([describeProgress(before.done + done, before.of)]);
  try {
    show(0);
    const { signal } = interrupt;
    return summarize(await rehearseMany(series, { runs, seed, onProgress: show, signal }));
  } catch (error) {
    throw interrupt.signal.aborted ? new Interrupted('Nothing was changed.') : error;
  } finally {
    interrupt.release();
    if (screen.isLive) screen.frame([]);
    screen.endFrame();
  }
}
