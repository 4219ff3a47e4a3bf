import * as z from 'zod';
import { systemClock } from '../../adapters/machine/clock.ts';
import { readEnvironment } from '../../adapters/machine/environment.ts';
import { runtimeIdSchema } from '../../contract/input/checks.ts';
import { describeDuration } from '../../domain/durations.ts';
import { NOTHING_TO_DO } from '../../domain/ending/success.ts';
import type { Hold } from '../../domain/holds/hold.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { abbreviateIds } from '../../domain/rollout/name.ts';
import { describeWait, isAwaited } from '../../domain/rollout/opening.ts';
import { nameInWords, nameOfOutcome, OUTCOME_KINDS } from '../../domain/rollout/outcome.ts';
import type { RolloutSummary } from '../../domain/rollout/record.ts';
import { askedVersionOf, describeStarter } from '../../domain/rollout/request.ts';
import { WAITS } from '../../domain/rollout/wait.ts';
import { readChildSummaries } from '../../steps/group/children.ts';
import { findRecord } from '../../steps/io/record.ts';
import { type Story, storyOf } from '../../telling/story/story.ts';
import { describeAge, plainText } from '../../telling/text.ts';
import { toListedRollout, tookOf } from '../../telling/view/listed.ts';
import { cutTo, widthOf, wrapLines } from '../../telling/width.ts';
import { linesOf } from '../../telling/words/phase.ts';
import { presentOf } from '../../telling/words/view.ts';
import type { Engine } from '../engine/engine.ts';
import {
  type EngineOptions,
  engineArguments,
  hasHistory,
  withEngine,
} from '../engine/open-engine.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { ledgerShape } from '../options/global-shape.ts';
import { prepare } from '../settings/prepare.ts';
import { isForPeople, printResult, renderValue } from '../terminal/print-result.ts';
import { withGroup } from './group.ts';

const MOST = 1_000;

const optionsSchema = z.strictObject({
  ...ledgerShape,
  'runtime-id': runtimeIdSchema.optional(),
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
  const { rollouts, holds } = hasHistory(options)
    ? await withEngine(options, (engine) => readRollouts(options, engine, now))
    : { rollouts: [], holds: [] };
  if (!isForPeople(options)) {
    printResult(
      rollouts.map(({ summary }) => toListedRollout(summary)),
      options,
    );
    return ExitCode.Done;
  }
  const width = widthOf(process.stdout);
  const shown = options['runtime-id'] === undefined ? rollouts.filter(isWorthALine) : rollouts;
  const ids = abbreviateIds(rollouts.map(({ summary }) => summary.rolloutId));
  const rows = shown.map((rollout) => toRolloutRow(rollout, now, width, ids));
  const lines = renderValue(rows, width);
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  const notes = [
    ...shown.flatMap((rollout) => noteOnOpen(rollout, engineArguments(options), holds)),
    ...noteOnRest(rollouts.length - shown.length),
  ];
  for (const line of wrapLines(notes, widthOf(process.stderr))) process.stderr.write(`${line}\n`);
  if (rollouts.length === 0) process.stderr.write(`No rollouts.${whereLooked(options)}\n`);
  return ExitCode.Done;
}

/** A group may have a thousand runtimes, and most of them go as planned. */
function isWorthALine({ summary, isBelow }: ListedRollout): boolean {
  return !isBelow || summary.outcome?.outcome !== 'Succeeded';
}

function noteOnRest(count: number): string[] {
  if (count === 0) return [];
  const rollouts = count === 1 ? '1 rollout of a runtime' : `${count} rollouts of runtimes`;
  return [`${rollouts} that succeeded for a group: --group lists them, too.`];
}

interface ListedRollout {
  readonly summary: RolloutSummary;
  /** It stands below the rollout of the group that has started it. */
  readonly isBelow: boolean;
  /** Its process seems to be dead. */
  readonly isAbandoned: boolean;
  /** Of one that has not ended. `null`: it has, or nobody can read it. */
  readonly story: Story | null;
}

/** Those that have ended are read with the list, and the few others whole, for people. */
async function readRollouts(options: Options, engine: Engine, now: number) {
  const { ledger } = engine;
  const wanted = await findWanted(options, ledger);
  const isAsked = isForPeople(options);
  const isAnyOpen = wanted.some(({ summary }) => summary.outcome === null);
  const holds = isAsked && isAnyOpen ? await ledger.listHolds() : [];
  const rollouts = await Promise.all(
    wanted.map(async ({ summary, isBelow }) => {
      const isOpen = summary.outcome === null;
      const { wait } = summary;
      // Before it has a lease, nobody knows its process. On AWS an execution may come late, and its end is seen.
      const isForgotten = engine.listens && wait?.wave === null && !isAwaited(wait.lookAt, now);
      const isAbandoned = isOpen && (isForgotten || (await engine.isAbandoned(summary.rolloutId)));
      const whole = isOpen && isAsked && wait?.for !== 'start';
      const record = whole ? await findRecord(summary.rolloutId, ledger) : null;
      const isThere = record !== null && record.outcome === null;
      return {
        summary,
        isBelow,
        isAbandoned,
        story: isThere ? storyOf(record, now, isAbandoned) : null,
      };
    }),
  );
  return { rollouts, holds };
}

type Wanted = Pick<ListedRollout, 'summary' | 'isBelow'>;

/** Rollouts of a group have those of its runtimes below them, unless somebody looks for an outcome everywhere. */
async function findWanted(options: Options, ledger: Engine['ledger']): Promise<readonly Wanted[]> {
  const { 'runtime-id': runtimeId, '--limit': limit, '--outcome': outcome } = options;
  if (runtimeId === undefined && outcome === undefined) {
    return withChildren(await listRoots(limit, ledger), ledger);
  }
  // Among the newest ones there may be few with this outcome.
  const found = await ledger.list({ runtimeId, limit: outcome === undefined ? limit : MOST });
  const wanted = found
    .filter((one) => outcome === undefined || one.outcome?.outcome === outcome)
    .slice(0, limit);
  const isOfGroup = groupNameOf(runtimeId ?? '') !== null;
  return isOfGroup
    ? withChildren(wanted, ledger)
    : wanted.map((summary) => ({ summary, isBelow: false }));
}

/** The newest rollouts that no group has started, and those of the groups that have started the newest ones. */
async function listRoots(
  limit: number,
  ledger: Engine['ledger'],
): Promise<readonly RolloutSummary[]> {
  const isRoot = ({ parent }: RolloutSummary) => parent === undefined;
  const newest = await ledger.list({ limit });
  if (newest.every(isRoot)) return newest;
  const found = await ledger.list({ limit: MOST });
  const known = new Set(found.map(({ rolloutId }) => rolloutId));
  const parents = new Set(found.flatMap(({ parent }) => parent ?? []));
  const missing = [...parents].filter((rolloutId) => !known.has(rolloutId));
  const older = await Promise.all(missing.map((rolloutId) => ledger.readSummary(rolloutId)));
  return [...found.filter(isRoot), ...older.filter((one) => one !== null)].slice(0, limit);
}

function withChildren(
  rollouts: readonly RolloutSummary[],
  ledger: Engine['ledger'],
): Promise<readonly Wanted[]> {
  const each = rollouts.map(async (summary): Promise<readonly Wanted[]> => {
    const top = { summary, isBelow: false };
    if (groupNameOf(summary.runtimeId) === null) return [top];
    const record = await findRecord(summary.rolloutId, ledger);
    const children = record === null ? [] : await readChildSummaries(record, ledger);
    return [top, ...children.map((child) => ({ summary: child, isBelow: true }))];
  });
  return Promise.all(each).then((all) => all.flat());
}

/** For what a rollout waits and until when, and what people have to know or do. There is nothing to say of most. */
function noteOnOpen({ summary, story }: ListedRollout, engine: string, holds: readonly Hold[]) {
  const { rolloutId, wait } = summary;
  if (story === null) return [];
  const waits = wait !== null && wait.wave === null && wait.for !== 'start';
  const of = waits ? [plainText(`${rolloutId}: ${describeWait(wait)}`)] : [];
  // What it waits for says what holds it.
  const { wants } = presentOf(story, engine, { holds });
  const [first, ...rest] = linesOf(wants.map((want) => (waits ? { ...want, says: '' } : want)));
  if (first === undefined) return of;
  return [...of, ...[waits ? first.trim() : `${rolloutId}: ${first}`, ...rest].map(plainText)];
}

/** Where nothing was ever recorded, the wrong folder is the likely cause. */
function whereLooked(options: EngineOptions): string {
  if (hasHistory(options)) return '';
  return plainText(` There is no ledger in ${readEnvironment().stateDirectory} yet.`);
}

/** The width in columns on a terminal. Some pipelines give their releases long ids; `show` prints them in full. */
const LONGEST_STARTER = 28;

/** One rollout of a list, in the form for people. The most important value comes first. */
export function toRolloutRow(
  rollout: ListedRollout,
  now: number,
  width: number,
  ids: ReadonlyMap<string, string> = new Map(),
) {
  const { rolloutId: whole, runtimeId, startedBy, startedAt } = rollout.summary;
  const tookMs = tookOf(rollout.summary);
  const rolloutId = ids.get(whole) ?? whole;
  return {
    id: rollout.isBelow ? `  ${rolloutId}` : rolloutId,
    outcome: outcomeOf(rollout),
    runtime: runtimeId,
    version: versionIn(rollout.summary),
    started: describeAge(startedAt, now),
    took: tookMs === null ? null : describeDuration(tookMs),
    'started by': Number.isFinite(width)
      ? cutTo(describeStarter(startedBy), LONGEST_STARTER)
      : describeStarter(startedBy),
  };
}

function versionIn(summary: RolloutSummary) {
  if (summary.versions !== undefined) return 'own';
  return askedVersionOf(summary) ?? summary.desiredVersion;
}

function outcomeOf({ summary, isAbandoned, story }: ListedRollout): string {
  const { outcome, wait } = summary;
  if (isAbandoned) return 'process seems dead';
  if (outcome === null) {
    const says = wait === null ? 'under way' : WAITS[wait.for].says;
    return says === 'rolling' && story?.record.rollback ? 'rolling back' : says;
  }
  // What nobody failed at has a reason that says why it went no further.
  const isPlain = outcome.outcome === 'Succeeded' || outcome.failure !== undefined;
  if (outcome.reason === NOTHING_TO_DO) return `${nameInWords(outcome)}, nothing to do`;
  return isPlain ? nameInWords(outcome) : nameOfOutcome(outcome);
}
