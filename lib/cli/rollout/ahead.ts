import { systemClock } from '../../adapters/machine/clock.ts';
import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import type { DrawnPlan } from '../../domain/planning/drawn-plan.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { askedGates } from '../../gates/gates.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { drawGroup, holdsIn, revertAhead } from '../../steps/group/group-ahead.ts';
import { doubtedWords } from '../../steps/opening/doubted-words.ts';
import { drawPlan, drawRevert } from '../../steps/opening/draw-plan.ts';
import { openTrial, refuseUnanswerable, type Trial } from '../../steps/opening/plan.ts';
import { plainText } from '../../telling/text.ts';
import { widthOf, wrapLines } from '../../telling/width.ts';
import { describeAhead } from '../../telling/words/plan.ts';
import { describeIfBad } from '../../telling/words/policy.ts';
import { type EngineOptions, withHistory } from '../engine/open-engine.ts';
import { refuseUnpin } from '../pins.ts';
import type { Prepared } from '../settings/prepare.ts';
import { type Connecting, fromOf, openGatesOf } from '../settings/service.ts';
import { confirm } from '../terminal/ask.ts';
import { planningOf } from './group.ts';
import { lookBack, previewRollout, refuseWindows } from './preview.ts';

/**
 * Shows the plan of a rollout to a person and asks whether to start it. Answers the input of the rollout, which may do
 * only what the person agreed to; `null` after a no.
 *
 * @param note What else to know before that, in a sentence. `null`: nothing.
 * @throws `GateUnanswerable`, and any error of the list.
 */
export async function agreeTo(
  wanted: RolloutInput,
  policy: RolloutPolicy,
  service: EndpointService,
  prepared: Connecting<EngineOptions>,
  note: string | null,
): Promise<RolloutInput | null> {
  const drawn = await drawAhead(wanted, policy, service, prepared);
  refuseUnanswerable(drawn.unanswerable);
  const preview = await previewRollout(drawn, prepared, systemClock.now());
  refuseWindows(preview.windows);
  const notes = note === null ? [] : [`  ${note}`];
  const lines = [...describeAhead(drawn, preview, fromOf(prepared)), ...notes];
  process.stderr.write(`${wrapLines(lines, widthOf(process.stderr)).join('\n')}\n`);
  // The versions before have served already.
  const ifBad = drawn.revert === undefined ? `${describeIfBad(drawn.policy.onFailure)} ` : '';
  if (await confirm(`${ifBad}Start this rollout at ${plainText(service.url)}?`)) {
    return { plan: drawn.fingerprint, ...wanted };
  }
  process.stderr.write('Not started.\n');
  return null;
}

/**
 * Refuses gates that can never be answered, for a rollout that starts without a question. When no plan can be made
 * now, the rollout itself waits for the list or ends with the reason, so there is nothing to say yet.
 *
 * @throws `GateUnanswerable`
 */
export async function refuseUnanswerableUnasked(
  wanted: RolloutInput,
  policy: RolloutPolicy,
  service: EndpointService,
  prepared: Connecting<EngineOptions>,
): Promise<void> {
  const drawn = await drawAhead(wanted, policy, service, prepared).catch((error: unknown) => {
    // For a group, its list refuses the gates of its runtimes.
    if (errorNameOf(error) === ErrorName.GateUnanswerable) throw error;
    return null;
  });
  if (drawn !== null) refuseUnanswerable(drawn.unanswerable);
}

/**
 * Draws the plan of a rollout, or of one of a group. The versions in quarantine are left out, where history knows them.
 * Gates are tried only when the rollout runs on this machine, because on AWS it asks them with its own role.
 */
export async function drawAhead(
  wanted: RolloutInput,
  policy: RolloutPolicy,
  service: EndpointService,
  { options, config }: Pick<Connecting<DrawOptions>, 'options' | 'config'>,
): Promise<DrawnPlan> {
  const { runtimeId, version, revert } = wanted;
  const isGroup = groupNameOf(runtimeId) !== null;
  const groups = { planning: planningOf(config) };
  if (revert !== undefined) {
    return withHistory(options, async ({ ledger }) => {
      const reverted = await ledger.read(revert);
      const ports = { service, ledger, clock: systemClock, groups };
      const planning = isGroup ? revertAhead(reverted, ports) : service;
      return drawRevert(reverted, policy, planning, systemClock.now());
    });
  }
  const isOnAws = options['--engine'] === 'aws';
  const trial = isOnAws ? null : await trialOf(config);
  const { '--unpin': unpin } = options;
  const holds = await lookBack(options, ({ ledger }) => ledger.listHolds());
  if (unpin !== undefined) refuseUnpin(unpin, runtimeId, holds);
  const holdsOf = holdsIn(async () => holds, systemClock, {
    ...(options['--again'] && { again: true }),
    ...(unpin && { unpin }),
  });
  const readDoubted = () => lookBack(options, ({ ledger }) => doubtedWords(runtimeId, ledger));
  const { refusing, pins } = await holdsOf(runtimeId);
  // Whoever names a version gets that one, or a refusal. A group is refused with the names of its runtimes.
  const quarantines = typeof version === 'number' ? [] : refusing;
  const drawn = isGroup
    ? await drawGroup(wanted, policy, service, groups.planning, holdsOf, trial)
    : await drawPlan(wanted, policy, service, quarantines, pins, trial, readDoubted);
  if (!isOnAws) return drawn;
  const faults = askedGates(policy.verify).flatMap(
    ({ gate, said }) => gate.needs?.(said).faultsOnAws ?? [],
  );
  return { ...drawn, unanswerable: [...drawn.unanswerable, ...faults] };
}

type DrawOptions = EngineOptions & {
  readonly '--again'?: boolean;
  readonly '--unpin'?: readonly string[] | undefined;
};

async function trialOf(config: Prepared<object>['config']): Promise<Trial> {
  return openTrial(await openGatesOf({ config }), systemClock);
}
