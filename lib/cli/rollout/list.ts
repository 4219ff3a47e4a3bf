import * as z from 'zod';
import { toSummary } from '../../adapters/ledger/rollout-summary.ts';
import { systemClock } from '../../adapters/machine/clock.ts';
import { readEnvironment } from '../../adapters/machine/environment.ts';
import { type AwaitedApproval, toListedRollout } from '../../contract/output/listed.ts';
import { describeDuration } from '../../domain/durations.ts';
import { describeStarter } from '../../domain/events/event-sentences.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { OUTCOME_KINDS } from '../../domain/rollout/outcome.ts';
import type { RolloutSummary } from '../../domain/rollout/record.ts';
import { askedVersionOf } from '../../domain/rollout/request.ts';
import { describeWaiting, type Wait } from '../../domain/rollout/waiting.ts';
import { phaseOf } from '../../domain/story/phase.ts';
import { readChildren } from '../../steps/group/children.ts';
import type { Engine } from '../engine/engine.ts';
import {
  type EngineOptions,
  engineArguments,
  hasHistory,
  withEngine,
} from '../engine/open-engine.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { idField } from '../options/fields.ts';
import { ledgerShape } from '../options/global-shape.ts';
import { prepare } from '../settings/prepare.ts';
import { cutTo, wrapLines } from '../terminal/fit.ts';
import { isForPeople, printResult } from '../terminal/print-result.ts';
import { renderValue } from '../terminal/table.ts';
import { plainText } from '../terminal/text.ts';
import { dateTime, describeAge } from '../terminal/times.ts';
import { widthOf } from '../terminal/width.ts';
import { withGroup } from './group.ts';

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
  // Scripts write the outcome as it is stored, and people as it is quickest to type.
  '--outcome': z.preprocess(
    (text) =>
      OUTCOME_KINDS.find((kind) => kind.toLowerCase() === String(text).toLowerCase()) ?? text,
    z.enum(OUTCOME_KINDS).optional(),
  ),
});
type Options = z.output<typeof optionsSchema>;

/** `steproll rollout list`: shows the newest rollouts, and how they ended. */
export async function rolloutList(invocation: Invocation): Promise<number> {
  const { options } = await prepare(optionsSchema, withGroup(invocation));
  const now = systemClock.now();
  const rollouts = hasHistory(options)
    ? await withEngine(options, (engine) => readRollouts(options, engine, now))
    : [];
  if (!isForPeople(options)) {
    printResult(
      rollouts.map(({ summary, approval }) => toListedRollout(summary, approval)),
      options,
    );
    return ExitCode.Done;
  }
  const width = widthOf(process.stdout);
  const rows = rollouts.map((rollout) => toRolloutRow(rollout, now, width));
  const lines = renderValue(rows, width);
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  const notes = rollouts.flatMap((rollout) => noteOnWait(rollout, engineArguments(options)));
  for (const line of wrapLines(notes, widthOf(process.stderr))) process.stderr.write(`${line}\n`);
  if (rollouts.length === 0) process.stderr.write(`No rollouts.${whereLooked(options)}\n`);
  return ExitCode.Done;
}

interface ListedRollout {
  readonly summary: RolloutSummary;
  /** Its process seems to be dead. */
  readonly isAbandoned: boolean;
  /** The wave that waits for a person. `null`: none does. */
  readonly approval: AwaitedApproval | null;
}

async function readRollouts(
  options: Options,
  engine: Engine,
  now: number,
): Promise<readonly ListedRollout[]> {
  const { 'runtime-id': runtimeId, '--limit': limit, '--outcome': outcome } = options;
  // Among the newest ones there may be few with this outcome.
  const query = { runtimeId, limit: outcome === undefined ? limit : MOST };
  const found = await engine.ledger.list(query);
  const wanted = found
    .filter((one) => outcome === undefined || one.outcome?.outcome === outcome)
    .slice(0, limit);
  const isOfGroup = groupNameOf(runtimeId ?? '') !== null;
  const withChildren = await Promise.all(
    wanted.map(async (one) => [one, ...(isOfGroup ? await childrenOf(one, engine) : [])]),
  );
  return Promise.all(
    withChildren.flat().map(async (summary) => {
      const isOpen = summary.outcome === null;
      const isAbandoned = isOpen && (await engine.isAbandoned(summary.rolloutId));
      const mayWait = isOpen && !isAbandoned && summary.waiting === null;
      const approval = mayWait ? await findApproval(summary.rolloutId, engine, now) : null;
      return { summary, isAbandoned, approval };
    }),
  );
}

/** The rollouts that the rollout of a group has started, in the order of its plan. */
async function childrenOf(
  { rolloutId }: RolloutSummary,
  { ledger }: Engine,
): Promise<readonly RolloutSummary[]> {
  const children = await readChildren(await ledger.read(rolloutId), ledger);
  return children.map((child) => toSummary(child, child));
}

/**
 * A list of the ledger does not know who waits for a person, so the few rollouts under way are read. One that cannot
 * be read, because a newer steproll has written it, must not keep the others from being listed.
 */
async function findApproval(
  rolloutId: string,
  { ledger }: Engine,
  now: number,
): Promise<AwaitedApproval | null> {
  const record = await ledger.read(rolloutId).catch(() => null);
  if (record === null) return null;
  const phase = phaseOf(record, now);
  return phase.phase === 'approval' ? { wave: (record.progress?.wave ?? 0) + 1, phase } : null;
}

/** For what a rollout waits and until when, in lines for people. There are none for one that does not wait. */
function noteOnWait({ summary, isAbandoned, approval }: ListedRollout, where: string): string[] {
  const { rolloutId, waiting } = summary;
  if (waiting !== null && waiting.for !== 'start' && !isAbandoned) {
    return [plainText(`${rolloutId}: ${describeWaiting(waiting)}`)];
  }
  if (approval === null) return [];
  const { wave, phase } = approval;
  const then = phase.onTimeout === 'approve' ? 'approved' : 'rejected';
  const limit = `Wave ${wave} waits for approval, and is ${then} at ${dateTime(phase.until)}`;
  const command = `steproll rollout approve ${rolloutId} --wave ${wave}${where}`;
  return [plainText(`${rolloutId}: ${limit}. To approve it:`), plainText(`  ${command}`)];
}

/** Where nothing was ever recorded, the wrong folder is the likely cause. */
function whereLooked(options: EngineOptions): string {
  if (hasHistory(options)) return '';
  return plainText(` There is no ledger in ${readEnvironment().stateDirectory} yet.`);
}

/** The width in columns on a terminal. Some pipelines give their releases long ids; `show` prints them in full. */
const LONGEST_STARTER = 28;

/** One rollout of a list, in the form for people. The most important value comes first. */
export function toRolloutRow(rollout: ListedRollout, now: number, width: number) {
  const { rolloutId, runtimeId, startedBy, startedAt, endedAt } = rollout.summary;
  return {
    id: rolloutId,
    outcome: outcomeOf(rollout),
    runtime: runtimeId,
    version: askedVersionOf(rollout.summary) ?? rollout.summary.desiredVersion,
    started: describeAge(startedAt, now),
    took: endedAt === null ? null : describeDuration(endedAt - startedAt),
    'started by': Number.isFinite(width)
      ? cutTo(describeStarter(startedBy), LONGEST_STARTER)
      : describeStarter(startedBy),
  };
}

const WAITS: Readonly<Record<Wait, string>> = {
  start: 'accepted',
  window: 'waits for a window',
  turn: 'waits for its turn',
  version: 'waits for the version',
  list: 'waits for the list',
};

function outcomeOf({ summary, isAbandoned, approval }: ListedRollout): string {
  const { outcome, waiting } = summary;
  if (isAbandoned) return 'process seems dead';
  if (outcome === null && waiting !== null) return WAITS[waiting.for];
  if (outcome === null) return approval === null ? 'under way' : 'waits for approval';
  // A success needs no reason, because it went as planned. An abort is its own reason.
  const isPlain = outcome.outcome === 'Succeeded' || outcome.outcome === outcome.reason;
  return isPlain ? outcome.outcome : `${outcome.outcome}: ${outcome.reason}`;
}
