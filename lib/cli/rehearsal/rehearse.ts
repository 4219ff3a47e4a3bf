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
import { plainText } from '../terminal/text.ts';
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
  const named = [
    { name: 'as asked', rehearsal },
    ...(other ? [{ name: `${against}`, rehearsal: { ...rehearsal, policy: other } }] : []),
  ];
  const runs = options['--runs'];
  return runs === undefined
    ? rehearseOnce(named, options)
    : rehearseOften(named, { ...options, '--runs': runs });
}

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
  [first, second]: readonly Named[],
  options: RehearsalOptions,
): Promise<number> {
  const { rehearsal } = first as Named;
  const own = await runOnce(rehearsal, options);
  // The same faults go wrong at the same times with both policies.
  const other = second && (await runOnce(second.rehearsal, options, rehearsal));
  if (isForPeople(options)) {
    const screen = await createScreen(process.stdout);
    for (const line of describeRehearsal(own, screen)) screen.line(line);
    const lines = other ? describeRehearsal(other, screen) : [];
    if (second) lines.unshift('', screen.style('bold', `Against ${plainText(second.name)}`), '');
    for (const line of lines) screen.line(line);
  } else {
    const { seed } = own;
    const drawn = { seed, faults: seed === null ? null : (options['--faults'] ?? 'few') };
    const against = second && other && { against: { name: second.name, ...resultOf(other) } };
    printResult({ ...drawn, ...resultOf(own), ...against }, options);
  }
  return exitCodeOfOutcome(own.rehearsed.outcome.outcome);
}

function resultOf({ faults, rehearsed }: ToldRehearsal) {
  const { record, outcome, seconds, calls, stopped, rolledBack, toll } = rehearsed;
  const endedAt = STARTS_AT + Math.ceil(seconds * 1000);
  const rollout = record === null ? null : toRolloutReport(record, endedAt);
  return { ...outcome, seconds, calls, stopped, rolledBack, toll, wentWrong: faults, rollout };
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
    const screen = await createScreen(process.stdout);
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
