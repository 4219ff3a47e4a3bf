import type { Engine } from '../../cli/engine/engine.ts';
import { findStanding } from '../../cli/hold/lift.ts';
import { readAround } from '../../cli/rollout/around.ts';
import { versionOf } from '../../cli/rollout/follow.ts';
import { findNewer } from '../../cli/rollout/newer.ts';
import { containmentOf } from '../../domain/containment/failure-policies.ts';
import type { Hold } from '../../domain/holds/hold.ts';
import { whatQuarantines } from '../../domain/holds/what-holds.ts';
import {
  estimateRollout,
  likelyRollSeconds,
  usualRollMsOf,
} from '../../domain/planning/estimate.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { FAILURE_POLICIES, policyAfter } from '../../domain/rollout/policy.ts';
import { type AskedRollout, elapsedOf } from '../../domain/rollout/record.ts';
import { toSummary } from '../../ledger/record.ts';
import type { RolloutQuery } from '../../ports/ledger.ts';
import { readPastRolls } from '../../steps/opening/past-rolls.ts';
import { WEB_PAGE } from '../../telling/page.ts';
import { findAnswerTo } from '../../telling/story/answers.ts';
import { type Course, courseAhead, courseOf } from '../../telling/story/course.ts';
import { leftToDo } from '../../telling/story/fates.ts';
import type { Happening } from '../../telling/story/happenings.ts';
import { storyOf } from '../../telling/story/story.ts';
import { describeFates } from '../../telling/words/fates.ts';
import { describeHappening } from '../../telling/words/happening.ts';
import { describeStateInFull } from '../../telling/words/mid-roll.ts';
import { describeOutcome } from '../../telling/words/outcome.ts';
import { describeStage } from '../../telling/words/phase.ts';
import { describePlanOf } from '../../telling/words/plan.ts';
import { describeCourse, viewOf } from '../../telling/words/view.ts';
import type { ToldHappening, ToldRollout } from '../desk.ts';
import { attemptsAmong } from './attempts.ts';
import { toTold } from './look.ts';
import { offerResume, offerRetry, offerRevert } from './offers.ts';

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
): Promise<ToldRollout> {
  const record = await ledger.read(rolloutId);
  const isDead = await isAbandoned(rolloutId);
  const { request } = record;
  const [around, all, holds] = await Promise.all([
    readAround(record, ledger),
    ledger.list({ runtimeId: request.runtimeId, limit: LOOKED_AT }),
    findStanding(ledger),
  ]);
  const { children } = around;
  const told = storyOf(record, now, isDead);
  const { at, happenings } = told;
  const standing = { record, children, all, holds, now, runsHere: where === '' };
  const mayRevert = record.outcome !== null && leftToDo(record).toTakeBack;
  const newer = mayRevert ? await findNewer(record, ledger) : [];
  const attempts = attemptsAmong(all);
  const summary = toSummary(record);
  const report = viewOf(told, where, around);
  return {
    report,
    gates: report.gates.map((gate) => ({ answer: gate.answer, says: describeCourse(gate) })),
    state:
      record.outcome === null
        ? [describeStateInFull(told)]
        : describeOutcome(record.outcome, elapsedOf(record, at), WEB_PAGE),
    isAbandoned: isDead,
    plan: describePlanOf(record),
    course: courseOf(record, at),
    happenings: happenings.map((one) => ({ ...toTold(one), ...answerTo(one, record) })),
    fates: describeFates(record),
    containments: containmentsOf(record),
    onFailure: policyAfter('bad', record.request.policy?.onFailure ?? 'hold'),
    retry: offerRetry(standing),
    revert: offerRevert(standing, newer),
    resume: offerResume(standing, isDead, describeStage(told)),
    mayQuarantine: mayQuarantine(record, holds, now),
    before: attempts.before(summary),
    after: attempts.after(summary),
    stamp: `${versionOf(record)} ${isDead}`,
  };
}

/** Whether what a person has said was heard, in words, once that is known. */
function answerTo(happening: Happening, record: AskedRollout): Pick<ToldHappening, 'answer'> {
  const answer = happening.kind === 'signal' && findAnswerTo(happening.signal, record);
  if (!answer) return {};
  // Of what was heard on the way, the story tells.
  const isOfEnd = answer.event.kind === 'failing' || answer.event.kind === 'ended';
  if (record.outcome !== null && !isOfEnd) return {};
  const what = describeHappening({ kind: 'event', at: answer.event.at, event: answer.event });
  return { answer: `${answer.isHeard ? 'It was heard' : 'Something else has decided'}: ${what}` };
}

/** So many of the newest rollouts of its runtime are looked at. */
const LOOKED_AT = 100;

function mayQuarantine(record: AskedRollout, holds: readonly Hold[], now: number): boolean {
  const { runtimeId, desiredVersion, revert } = record.request;
  if (desiredVersion === null || revert !== undefined || groupNameOf(runtimeId) !== null)
    return false;
  return whatQuarantines(runtimeId, [desiredVersion], holds, now).length === 0;
}

function containmentsOf({ plan }: AskedRollout): ToldRollout['containments'] {
  const told = FAILURE_POLICIES.map((policy) => {
    const { halt, consequence } = containmentOf(policy, plan);
    return [policy, { halt, consequence }] as const;
  });
  return Object.fromEntries(told) as ToldRollout['containments'];
}

/** How the plan of a rollout was expected to go, from what was known when it began. @throws `RolloutNotFound` */
export async function foreseeCourse(
  rolloutId: string,
  { ledger }: Pick<Engine, 'ledger'>,
): Promise<Course | null> {
  const { request, plan, startedAt } = await ledger.read(rolloutId);
  const { policy, runtimeId } = request;
  if (plan === null || policy === null) return null;
  const earlier = async (query: RolloutQuery) =>
    (await ledger.list(query)).filter((one) => one.startedAt < startedAt);
  const past = await readPastRolls(runtimeId, { list: earlier });
  const rollSeconds = likelyRollSeconds(past);
  if (rollSeconds === null) return null;
  const usual = request.revert === undefined ? usualRollMsOf(past) : null;
  const estimate = estimateRollout(plan, policy, rollSeconds, undefined, usual, startedAt);
  return courseAhead(estimate, null, startedAt);
}
