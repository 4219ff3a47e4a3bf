import { toRolloutReport } from '../../contract/output/report.ts';
import { drawFaults } from '../../rehearsal/draw-faults.ts';
import { NO_FAULTS } from '../../rehearsal/faults.ts';
import { rehearseMany, type Series, seriesOf } from '../../rehearsal/many.ts';
import { type Rehearsal, rehearse } from '../../rehearsal/rehearse.ts';
import { type Summary, summarize } from '../../rehearsal/summary.ts';
import { ExitCode, exitCodeOfOutcome, Interrupted } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { onInterrupt } from '../invocation/process.ts';
import { isForPeople, printResult } from '../terminal/print-result.ts';
import { createScreen } from '../terminal/screen.ts';
import { describeRehearsal, type ToldRehearsal } from '../words/rehearsal.ts';
import { describeProgress, describeSummaries } from '../words/rehearsals.ts';
import {
  policyAgainst,
  prepareRehearsal,
  type RehearsalOptions,
  STARTS_AT,
} from './prepare-rehearsal.ts';

/** `steproll rehearse`: shows how a rollout goes, or how many of them would, and changes nothing. */
export async function rehearseRollout(invocation: Invocation): Promise<number> {
  const { options, config, draw } = await prepareRehearsal(invocation);
  const against = options['--against'];
  const other = against === undefined ? undefined : policyAgainst(against, options, config);
  const rehearsal = await draw();
  if (options['--runs'] === undefined) return rehearseOnce(rehearsal, options);
  return rehearseOften(
    [
      { name: 'as asked', rehearsal },
      ...(other ? [{ name: `${against}`, rehearsal: { ...rehearsal, policy: other } }] : []),
    ],
    { ...options, '--runs': options['--runs'] },
  );
}

/** Rehearses one rollout, with the faults that the options ask for. */
export async function runOnce(
  rehearsal: Rehearsal,
  options: Pick<RehearsalOptions, '--seed' | '--faults'>,
): Promise<ToldRehearsal> {
  const { '--seed': seed = 1, '--faults': level = 'few' } = options;
  const isDrawn = options['--seed'] !== undefined || options['--faults'] !== undefined;
  const faults = isDrawn ? drawFaults({ ...seriesOf(rehearsal, level).drawing, seed }) : NO_FAULTS;
  const rehearsed = await rehearse(rehearsal, faults, seed);
  return { rehearsal, faults, rehearsed, seed: isDrawn ? seed : null };
}

async function rehearseOnce(rehearsal: Rehearsal, options: RehearsalOptions): Promise<number> {
  const told = await runOnce(rehearsal, options);
  const { faults, rehearsed, seed } = told;
  const { record, outcome, seconds } = rehearsed;
  if (isForPeople(options)) {
    const screen = createScreen(process.stdout);
    for (const line of describeRehearsal(told, screen)) screen.line(line);
  } else {
    const endedAt = STARTS_AT + Math.ceil(seconds * 1000);
    const rollout = record === null ? null : toRolloutReport(record, endedAt);
    const { calls, stopped, rolledBack, toll } = rehearsed;
    const level = options['--faults'] ?? 'few';
    const drawn = { seed, faults: seed === null ? null : level };
    const result = { ...drawn, ...outcome, seconds, calls, stopped, rolledBack, toll };
    printResult({ ...result, wentWrong: faults, rollout }, options);
  }
  return exitCodeOfOutcome(outcome.outcome);
}

interface Named {
  readonly name: string;
  readonly rehearsal: Rehearsal;
}

async function rehearseOften(
  named: readonly Named[],
  options: RehearsalOptions & { readonly '--runs': number },
): Promise<number> {
  const { '--runs': runs, '--seed': seed = 1, '--faults': level = 'few' } = options;
  const [first] = named as [Named];
  // The same faults go wrong at the same times with both policies.
  const { drawing } = seriesOf(first.rehearsal, level);
  const summaries: { readonly name: string; readonly summary: Summary }[] = [];
  for (const { name, rehearsal } of named) {
    const before = summaries.length * runs;
    const all = { done: before, of: named.length * runs };
    const summary = await summarizeMany({ rehearsal, drawing }, { runs, seed }, all);
    summaries.push({ name, summary });
  }
  const [own, other] = summaries as [(typeof summaries)[0], (typeof summaries)[0]?];
  if (isForPeople(options)) {
    const screen = createScreen(process.stdout);
    const { rehearsal } = first;
    for (const line of describeSummaries(summaries, { rehearsal, seed, faults: level }, screen)) {
      screen.line(line);
    }
  } else {
    const against = other && { against: { name: other.name, ...other.summary } };
    printResult({ seed, faults: level, ...own.summary, ...against }, options);
  }
  return ExitCode.Done;
}

async function summarizeMany(
  series: Series,
  { runs, seed }: { readonly runs: number; readonly seed: number },
  before: { readonly done: number; readonly of: number },
): Promise<Summary> {
  const screen = createScreen(process.stderr);
  const interrupt = onInterrupt();
  const show = (done: number) =>
    screen.isLive && screen.frame([describeProgress(before.done + done, before.of)]);
  try {
    show(0);
    const { signal } = interrupt;
    return summarize(await rehearseMany(series, { runs, seed, onProgress: show, signal }));
  } catch (error) {
    throw interrupt.signal.aborted ? new Interrupted('Interrupted: nothing was changed.') : error;
  } finally {
    interrupt.release();
    if (screen.isLive) screen.frame([]);
    screen.endFrame();
  }
}
