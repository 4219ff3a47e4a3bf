import type { Story } from '../../console/desk.ts';
import { toRolloutReport } from '../../contract/output/report.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { courseOf } from '../../domain/story/course.ts';
import { leftToRoll } from '../../domain/story/fates.ts';
import { listHappenings } from '../../domain/story/happenings.ts';
import { phaseOf } from '../../domain/story/phase.ts';
import { timeOf } from '../../domain/story/quiet.ts';
import { readChildren } from '../../steps/group/children.ts';
import type { Engine } from '../engine/engine.ts';
import { versionOf } from '../rollout/follow.ts';
import { hintsAfter } from '../words/errors.ts';
import { modelOf, nameOfWave } from '../words/model.ts';
import { describeFates, describeOutcome } from '../words/outcome.ts';
import { describePhase, describeStandstill, describeWants } from '../words/phase.ts';
import { describePlanOf } from '../words/plan.ts';
import { toTold } from './look.ts';

/** A page breaks its lines and has its colours by itself. */
const PAGE = {
  isLive: false,
  columns: Number.POSITIVE_INFINITY,
  rows: Number.POSITIVE_INFINITY,
  line() {},
  frame() {},
  endFrame() {},
  style: (_format: unknown, text: string) => text,
};

/**
 * The story of a rollout, in the same sentences as `steproll rollout show` tells it.
 *
 * @param where The arguments with which a command finds the engine.
 * @throws `RolloutNotFound`
 */
export async function tellStory(
  rolloutId: string,
  { ledger, isAbandoned }: Engine,
  now: number,
  where: string,
): Promise<Story> {
  const record = await ledger.read(rolloutId);
  const isDead = await isAbandoned(rolloutId);
  const children = await readChildren(record, ledger);
  const at = timeOf(record, now, isDead);
  return {
    report: toRolloutReport(record, at, children),
    state: stateOf(record, at, isDead),
    wants: describeWants(record, phaseOf(record, now), now, where, isDead),
    hints: hintsOf(record, where),
    isAbandoned: isDead,
    plan: describePlanOf(record),
    course: courseOf(record, at),
    happenings: listHappenings(record).map((happening) => toTold(happening, record)),
    fates: describeFates(record),
    stamp: `${versionOf(record)} ${isDead}`,
  };
}

function stateOf(record: AskedRollout, at: number, isDead: boolean): readonly string[] {
  const { outcome, startedAt, endedAt } = record;
  if (outcome !== null) return describeOutcome(outcome, (endedAt ?? startedAt) - startedAt, PAGE);
  const phase = phaseOf(record, at);
  const wave = nameOfWave(modelOf(record));
  return [isDead ? describeStandstill(phase, wave, at) : describePhase(phase, wave)];
}

function hintsOf(record: AskedRollout, engine: string): readonly string[] {
  const { outcome, request } = record;
  if (outcome === null) return [];
  const { rolloutId, runtimeId } = request;
  return hintsAfter(outcome, leftToRoll(record), { rolloutId, runtimeId, engine });
}
