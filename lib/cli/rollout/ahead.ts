import { systemClock } from '../../adapters/machine/clock.ts';
import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { nameOf } from '../../domain/sentences.ts';
import { askedGates, partsOf } from '../../gates/gates.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { drawGroup, quarantinesIn, revertAhead } from '../../steps/group/group-ahead.ts';
import { type DrawnPlan, drawPlan, drawRevert } from '../../steps/opening/draw-plan.ts';
import { refuseUnanswerable } from '../../steps/opening/gates.ts';
import { type EngineOptions, withHistory } from '../engine/open-engine.ts';
import type { Prepared } from '../settings/prepare.ts';
import { type Connecting, fromOf, openGatesOf } from '../settings/service.ts';
import { confirm } from '../terminal/ask.ts';
import { plainText } from '../terminal/text.ts';
import { widthOf, wrapLines } from '../terminal/width.ts';
import { describeAhead } from '../words/plan.ts';
import { describeIfBad } from '../words/policy.ts';
import { planningOf } from './group.ts';
import { lookBack, previewRollout } from './preview.ts';

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
  const { options } = prepared;
  const drawn = await drawAhead(wanted, policy, service, prepared);
  refuseUnanswerable(await findUnanswerable(drawn, options, prepared));
  const preview = await previewRollout(drawn, options, systemClock.now());
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
  const drawn = await drawAhead(wanted, policy, service, prepared).catch(() => null);
  if (drawn === null) return;
  refuseUnanswerable(await findUnanswerable(drawn, { '--engine': 'embedded' }, prepared));
}

/** Draws the plan of a rollout, or of one of a group. The versions in quarantine are left out, where history knows them. */
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
  // Whoever names a version gets that one, or a refusal. A group is refused with the names of its runtimes.
  if (typeof version === 'number' && !isGroup) return drawPlan(wanted, policy, service);
  const holds = options['--again']
    ? []
    : await lookBack(options, ({ ledger }) => ledger.listHolds());
  const quarantinesOf = quarantinesIn(async () => holds, systemClock);
  return isGroup
    ? drawGroup(wanted, policy, service, groups.planning, quarantinesOf)
    : drawPlan(wanted, policy, service, await quarantinesOf(runtimeId));
}

type DrawOptions = EngineOptions & { readonly '--again'?: boolean };

/**
 * Why gates of a plan can never be answered, in sentences. They are tried only when the rollout runs on this machine,
 * because on AWS it asks them with its own role. Each is tried for the first endpoint of the plan.
 */
export async function findUnanswerable(
  { plan, policy, unanswerable, ...subject }: DrawnPlan,
  { '--engine': engine }: Pick<EngineOptions, '--engine'>,
  prepared: Pick<Prepared<object>, 'config'>,
): Promise<readonly string[]> {
  if (engine === 'aws') {
    const asked = askedGates(policy.verify);
    return [...unanswerable, ...asked.flatMap(({ gate, said }) => gate.faultsOnAws?.(said) ?? [])];
  }
  const tried = partsOf(policy.verify, true).filter(({ gate }) => gate.tryOut !== undefined);
  if (plan.endpoints.length === 0 || tried.length === 0) return unanswerable;
  const ports = await openGatesOf(prepared);
  const endpoints = plan.endpoints.slice(0, 1).map(nameOf);
  const on = { ...subject, endpoints, now: systemClock.now() };
  const found = await Promise.all(tried.map(({ gate, said }) => gate.tryOut?.(said, on, ports)));
  return [...unanswerable, ...found.flatMap((one) => one?.faults ?? [])];
}
