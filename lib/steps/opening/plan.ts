import { fingerprintOf, isDrawnWith } from '../../contract/flow/fingerprint.ts';
import type { Instant } from '../../domain/clock.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import { withoutDoubted } from '../../domain/endpoint/status-words.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Hold } from '../../domain/holds/hold.ts';
import { type Pins, pinsFor } from '../../domain/holds/pins.ts';
import { refuseStepDown } from '../../domain/planning/passed-over.ts';
import { asListed, type Reverted } from '../../domain/planning/plan-revert.ts';
import { planRollout } from '../../domain/planning/plan-rollout.ts';
import { planUndo } from '../../domain/planning/undo.ts';
import { refuseOtherService } from '../../domain/rollout/other-service.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { AskedRequest, RolloutRequest } from '../../domain/rollout/request.ts';
import { tryGate } from '../../gates/ask-gates.ts';
import type { Tried } from '../../gates/gate.ts';
import { type GatePorts, partsOf } from '../../gates/gates.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { Ledger } from '../../ports/ledger.ts';
import {
  type Condition,
  type OpeningPorts,
  type Ready,
  refusal,
  type WithHolds,
} from './condition.ts';
import { doubtedWords } from './doubted-words.ts';

/** A plan can be made, and it is the one that somebody agreed to. */
export const planAgreed: Condition<
  Ready & WithHolds & { readonly endpoints: readonly Endpoint[] },
  { readonly plan: RolloutPlan }
> = {
  async ask({ request, endpoints, holds }, ports) {
    const plan = await planOn(request, endpoints, holds, ports);
    const { agreedPlan, policy } = request;
    const fingerprint = fingerprintOf(plan, policy);
    if (agreedPlan === undefined || agreedPlan === fingerprint) {
      return { decision: 'go', learnt: { plan } };
    }
    const why = isDrawnWith(policy, agreedPlan)
      ? `The plan ${agreedPlan} is not known: it is mistyped, for another version, or the fleet has changed since it was shown`
      : `The plan ${agreedPlan} is not known with this policy: it is mistyped, or was drawn with another policy: other options, or another configuration`;
    const message = `${why}. The plan would now be ${fingerprint}: look at it again.`;
    return refusal(ErrorName.PlanChanged, message);
  },
};

/** Without gates, a plan is made although one of them can never be answered, unless its list shows that. */
type PlanPorts = Pick<OpeningPorts, 'service' | 'ledger' | 'clock'> &
  Partial<Pick<OpeningPorts, 'gates'>>;

type Planned = 'runtimeId' | 'desiredVersion' | 'versions' | 'passedOver' | 'policy' | 'parent';

/** Plans on a list that was read just now. @throws as `planRollout` and `readReverted` do, and `GateUnanswerable`. */
export async function planOn(
  request: Pick<RolloutRequest, Planned | 'revert' | 'unpin'>,
  endpoints: readonly Endpoint[],
  holds: readonly Hold[],
  { service, ledger, clock, gates }: PlanPorts,
): Promise<RolloutPlan> {
  const { runtimeId, revert, policy } = request;
  if (revert !== undefined) {
    const reverted = await readReverted({ runtimeId, revert }, service.url, ledger);
    return planUndo(reverted, asListed(endpoints, policy, service.abilities, clock.now()));
  }
  const trial = gates === undefined ? null : openTrial(gates, clock);
  const pins = pinsFor(request, holds, clock.now());
  const { plan, unanswerable } = await planForward(request, endpoints, pins, service, trial);
  refuseUnanswerable(unanswerable);
  const { restingWords } = plan;
  if (restingWords === undefined) return plan;
  const doubted = await doubtedWords(runtimeId, ledger);
  return { ...plan, restingWords: withoutDoubted(restingWords, doubted) };
}

/**
 * Answers the plan, and why gates of it can never be answered, in sentences.
 *
 * @param pins Those that the rollout heeds.
 * @param trial `null`: nobody here can ask as the rollout would, so only the list tells it.
 * @throws as `planRollout` and `refuseStepDown` do.
 */
export async function planForward(
  request: Pick<RolloutRequest, Planned>,
  endpoints: readonly Endpoint[],
  pins: Pins,
  { abilities }: Pick<EndpointService, 'abilities'>,
  trial: Trial | null,
) {
  const plan = planRollout(endpoints, request, request.policy, abilities, pins);
  refuseStepDown(plan, request.runtimeId, request.passedOver);
  return { plan, unanswerable: await findUnanswerable(request, plan, endpoints, trial) };
}

/**
 * The rollout that another one undoes.
 *
 * @param endpointUrl Base URL of the service in use here.
 * @throws `RolloutNotFound`, and `InvalidInput` when it is of another runtime or of another service.
 */
export async function readReverted(
  { runtimeId, revert }: Pick<AskedRequest, 'runtimeId'> & { readonly revert: string },
  endpointUrl: string,
  ledger: Pick<Ledger, 'read'>,
): Promise<Reverted> {
  const reverted = await ledger.read(revert);
  refuseOtherService(reverted.request, endpointUrl);
  if (reverted.request.runtimeId === runtimeId) return reverted;
  throw new SteprollError(
    ErrorName.InvalidInput,
    `revert: ${JSON.stringify(revert)} is a rollout of ${reverted.request.runtimeId}, and not of ${runtimeId}.`,
  );
}

// A gate that nobody can answer is asked until the progress deadline. Here it is found before anything is rolled.

/** Where gates can be tried as the rollout would ask them. */
export interface Trial {
  readonly gates: GatePorts;
  readonly now: Instant;
  /** Waits before what may have passed is tried once more: once for all who wait then. */
  pause(): Promise<void>;
}

const PAUSE_MS = 3_000;

export function openTrial(gates: GatePorts, clock: Clock): Trial {
  let paused: Promise<void> | undefined;
  const pause = () => {
    paused ??= clock.sleep(PAUSE_MS).finally(() => {
      paused = undefined;
    });
    return paused;
  };
  return { gates, now: clock.now(), pause };
}

/**
 * Why gates can never be answered, in sentences. Each is tried for the first endpoint of the plan, and a second time after
 * what may pass by itself. @param endpoints The whole list that it was made from.
 */
export async function findUnanswerable(
  {
    runtimeId,
    desiredVersion,
    policy,
  }: Pick<RolloutRequest, 'runtimeId' | 'desiredVersion' | 'policy'>,
  { endpoints: planned }: Pick<RolloutPlan, 'endpoints'>,
  endpoints: readonly Endpoint[],
  trial: Trial | null,
): Promise<string[]> {
  if (planned.length === 0) return [];
  const { verify, statuses } = policy;
  const list = { planned, endpoints, statuses };
  const first = planned.slice(0, 1).map(({ name, endpointId }) => name ?? endpointId);
  const subject = { when: 'trial', runtimeId, desiredVersion, endpoints: first } as const;
  const found = partsOf(verify, true).flatMap((part) => [
    part.gate.readList?.(part.said, list),
    trial && tryTwice(({ gates, now }) => tryGate(part, { ...subject, now }, gates), trial),
  ]);
  return (await Promise.all(found)).flatMap((one) => one?.faults ?? []);
}

async function tryTwice(
  tryOut: (trial: Trial) => Promise<Tried | undefined>,
  trial: Trial,
): Promise<Tried | undefined> {
  const tried = await tryOut(trial);
  if (!tried?.mayPass) return tried;
  await trial.pause();
  return tryOut(trial);
}

/** @throws `GateUnanswerable` when there is a reason. */
export function refuseUnanswerable(reasons: readonly string[]): void {
  const [first, ...more] = reasons;
  if (first === undefined) return;
  const words = more.length === 0 ? ` ${first}` : reasons.map((reason) => `\n  ${reason}`).join('');
  const message = `Nobody can answer a gate, so nothing is rolled:${words}`;
  throw new SteprollError(ErrorName.GateUnanswerable, message);
}
