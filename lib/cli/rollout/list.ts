import * as z from 'zod';
import { systemClock } from '../../adapters/machine/clock.ts';
import { readEnvironment } from '../../adapters/machine/environment.ts';
import { toTime } from '../../contract/output/time.ts';
import { toWaitingReport } from '../../contract/output/waiting.ts';
import { describeStarter } from '../../domain/events/sentences.ts';
import { OUTCOME_KINDS } from '../../domain/rollout/outcome.ts';
import type { RolloutSummary } from '../../domain/rollout/record.ts';
import type { Wait } from '../../domain/rollout/waiting.ts';
import type { Engine } from '../engine/engine.ts';
import { type EngineOptions, hasHistory, withEngine } from '../engine/open-engine.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { idField } from '../options/fields.ts';
import { ledgerShape } from '../options/global-shape.ts';
import { prepare } from '../settings/prepare.ts';
import { cutTo } from '../terminal/fit.ts';
import { isForPeople, printResult } from '../terminal/print-result.ts';
import { renderValue } from '../terminal/table.ts';
import { plainText } from '../terminal/text.ts';
import { describeAge, describeDuration } from '../terminal/times.ts';
import { widthOf } from '../terminal/width.ts';

const MOST = 1_000;

const optionsSchema = z.strictObject({
  ...ledgerShape,
  'runtime-id': idField('use the id of a runtime').optional(),
  '--limit': z
    .string()
    .regex(/^\d{1,4}$/, `use a number from 1 to ${MOST}`)
    .transform(Number)
    .pipe(z.int().min(1).max(MOST))
    .default(20),
  '--outcome': z.enum(OUTCOME_KINDS).optional(),
});
type Options = z.output<typeof optionsSchema>;

/** `steproll rollout list`: shows the newest rollouts, and how they ended. */
export async function rolloutList(invocation: Invocation): Promise<number> {
  const { options } = await prepare(optionsSchema, invocation);
  const rollouts = hasHistory(options)
    ? await withEngine(options, (engine) => readRollouts(options, engine))
    : [];
  if (!isForPeople(options)) {
    printResult(
      rollouts.map(({ summary }) => toListedRollout(summary)),
      options,
    );
    return ExitCode.Done;
  }
  const now = systemClock.now();
  const rows = rollouts.map(({ summary, isAbandoned }) => toRolloutRow(summary, now, isAbandoned));
  const lines = renderValue(rows, widthOf(process.stdout));
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  if (rollouts.length === 0) process.stderr.write(`No rollouts.${whereLooked(options)}\n`);
  return ExitCode.Done;
}

interface ListedRollout {
  readonly summary: RolloutSummary;
  /** Its process seems to be dead. */
  readonly isAbandoned: boolean;
}

async function readRollouts(options: Options, engine: Engine): Promise<readonly ListedRollout[]> {
  const { 'runtime-id': runtimeId, '--limit': limit, '--outcome': outcome } = options;
  // Among the newest ones there may be few with this outcome.
  const query = { runtimeId, limit: outcome === undefined ? limit : MOST };
  const found = await engine.ledger.list(query);
  const wanted = found.filter((one) => outcome === undefined || one.outcome?.outcome === outcome);
  return Promise.all(
    wanted.slice(0, limit).map(async (summary) => {
      const isOpen = summary.outcome === null;
      return { summary, isAbandoned: isOpen && (await engine.isAbandoned(summary.rolloutId)) };
    }),
  );
}

/** Where nothing was ever recorded, the wrong folder is the likely cause. */
function whereLooked(options: EngineOptions): string {
  if (hasHistory(options)) return '';
  return plainText(` There is no ledger in ${readEnvironment().stateDirectory} yet.`);
}

/**
 * One rollout of a list, in the form for programs. `null` means that there is no value yet. Times are ISO 8601 in
 * UTC.
 */
function toListedRollout(rollout: RolloutSummary) {
  const { rolloutId, runtimeId, desiredVersion, startedBy, startedAt, endedAt, outcome } = rollout;
  return {
    rolloutId,
    runtimeId,
    version: desiredVersion,
    versionFrom: rollout.versionFrom ?? null,
    startedBy: { ...startedBy, at: toTime(startedBy.at) },
    startedAt: toTime(startedAt),
    waiting: toWaitingReport(rollout.waiting),
    endedAt: endedAt === null ? null : toTime(endedAt),
    seconds: endedAt === null ? null : Math.round((endedAt - startedAt) / 1000),
    outcome: outcome?.outcome ?? null,
    cleanup: outcome?.cleanup ?? null,
    reason: outcome?.reason ?? null,
    message: outcome?.message ?? null,
  };
}

/** The width in columns. Some pipelines give their releases long ids; `show` prints them in full. */
const LONGEST_STARTER = 28;

/** One rollout of a list, in the form for people. The most important value comes first. */
export function toRolloutRow(rollout: RolloutSummary, now: number, isAbandoned = false) {
  const { rolloutId, runtimeId, desiredVersion, startedBy, startedAt, endedAt } = rollout;
  return {
    id: rolloutId,
    outcome: isAbandoned ? 'process seems dead' : outcomeOf(rollout),
    runtime: runtimeId,
    version: desiredVersion,
    started: describeAge(startedAt, now),
    took: endedAt === null ? null : describeDuration(endedAt - startedAt),
    'started by': cutTo(describeStarter(startedBy), LONGEST_STARTER),
  };
}

const WAITS: Readonly<Record<Wait, string>> = {
  start: 'accepted',
  window: 'waits for a window',
  turn: 'waits for its turn',
  list: 'waits for the list',
};

function outcomeOf({ outcome, waiting }: RolloutSummary): string {
  if (outcome === null) return waiting === null ? 'under way' : WAITS[waiting.for];
  // A success needs no reason, because it went as planned. An abort is its own reason.
  const isPlain = outcome.outcome === 'Succeeded' || outcome.outcome === outcome.reason;
  return isPlain ? outcome.outcome : `${outcome.outcome}: ${outcome.reason}`;
}
