import { type Batch, parseBatch } from '../contract/flow/position.ts';
import {
  areEarlierHeld,
  decideRoll,
  isWaveTaken,
  pendingAsPlanned,
} from '../domain/decision/next-rolls.ts';
import type { Attempts } from '../domain/endpoint/attempts.ts';
import type { Endpoint, PlannedEndpoint } from '../domain/endpoint/endpoint.ts';
import { legOf } from '../domain/endpoint/leg.ts';
import { isLetGo, type Observation } from '../domain/endpoint/observation.ts';
import {
  ANSWER_UNREADABLE,
  nextTry,
  TARGET_TAKEN,
  understandRefusal,
  undoneRollsAt,
} from '../domain/endpoint/rolls.ts';
import { ErrorName, errorNameOf, SteprollError } from '../domain/errors.ts';
import type { RolloutPlan } from '../domain/rollout/plan.ts';
import { progressOn, type RolloutRecord } from '../domain/rollout/record.ts';
import { mayWrite } from '../domain/signals/signals.ts';
import { isClosed, waveOf } from '../domain/turn/roll-window.ts';
import { retryWaitSeconds } from '../domain/wave/polls.ts';
import type { Known, Noted } from '../domain/writes/write-rules.ts';
import { stepFrom } from './group/group-service.ts';
import { attemptWrites, type BatchSummary } from './io/attempt-writes.ts';
import { tokenOf } from './io/names.ts';
import type { WritePorts } from './io/ports.ts';
import { readList } from './io/read-list.ts';
import { takeUp } from './io/take-up.ts';

/** For how long a batch begins new writes. The rest waits for the next look. The function has 300 s. */
const LONGEST_BATCH_MS = 200_000;

export const handleRollBatch = stepFrom(({ batch }) => parseBatch(batch), rollBatch);

/**
 * Rolls the endpoints of a batch that still need it, by `attemptWrites`. When a look shows that somebody else has
 * moved an endpoint of the wave, nothing is rolled, and an endpoint that has the desired target already is not written
 * to again. A service that repeats rolls gets a token with each roll. When the step runs again and nobody knows whether
 * a roll arrived, the roll has the same token again. It is not sent again within one run: a service that has just
 * failed to answer needs time, and the next look may show that the roll has arrived.
 *
 * @throws `LeaseLost` before anything is written.
 */
export async function rollBatch(batch: Batch, ports: WritePorts): Promise<BatchSummary> {
  const { service } = ports;
  const taken = await takeUp(ports, batch);
  const { lease, record, plan, clock } = taken;
  const operation = legOf(plan).roll;
  const { policy } = record.request;
  // A batch from before the rollout turned around would name other endpoints in the new plan.
  if (batch.direction !== plan.direction) return {};
  // The service wants to be asked later. The look after this batch waits for that.
  if (retryWaitSeconds(record, clock.watched) > 0) return {};

  const { wave = 0, observations: seen = [] } = progressOn(record, plan) ?? {};
  const { from } = batch;
  // No batch reaches beyond the wave that the ledger is at, whoever has handed it on.
  const to = Math.min(batch.to, plan.waves[wave]?.to ?? 0);
  // The look that this batch follows has shown it. One list that does not may be an old answer.
  let wasHeld = true;
  const chosen = plan.endpoints.slice(from, to);
  const due = new Map(chosen.map((each) => [each.endpointId, each]));
  const waves = [...new Set(chosen.map((_, nth) => waveOf(plan, from + nth)))];
  return attemptWrites<Look>(
    {
      operation,
      endpointIds: [...due.keys()],
      endpointsPerLook: Number.POSITIVE_INFINITY,
      longestMs: LONGEST_BATCH_MS,
      repeatsUnknown: false,
      async look() {
        const endpoints = await readList(taken, ports);
        const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
        const isHeld = areEarlierHeld(plan, from, seen, byId, policy.statuses);
        const look = {
          byId,
          isHindered: isWaveTaken(plan, from, byId, seen) || !(isHeld || wasHeld),
        };
        wasHeld = isHeld;
        return look;
      },
      calledOff({ signals, isPaused, frozenBy = [] }) {
        if (isPaused) return 'Paused';
        const { request } = record;
        const now = ports.clock.now();
        const isAnyClosed = waves.some((one) => isClosed({ request, frozenBy }, plan, one, now));
        if (isAnyClosed) return 'OutsideWindow';
        return mayWrite(operation, signals) ? undefined : 'ToldToEnd';
      },
      decide: decisionsOf(record, plan, seen),
      leave: () => undefined,
      reasonOf,
      tryOf: service.abilities.repeatsRolls ? nextTry : undefined,
      async send(endpointId, attempts, { byId }) {
        const { desiredVersion } = due.get(endpointId) as PlannedEndpoint;
        const token = service.abilities.repeatsRolls
          ? tokenOf(lease.rolloutId, plan.direction, endpointId, nextTry(attempts))
          : undefined;
        const { runtimeId } = batch;
        const answer = await service
          .roll(runtimeId, endpointId, desiredVersion, undefined, token)
          .catch((error) => {
            throw understandRefusal(error, byId.get(endpointId), policy.statuses);
          });
        return answer?.targetVersion === desiredVersion ? TARGET_TAKEN : undefined;
      },
    },
    taken,
    ports,
  );
}

/** A 2xx that makes no sense is a yes that cannot be read, and not a lost answer. */
function reasonOf(error: unknown): string {
  const name = errorNameOf(error);
  const { httpStatus = 0 } = error instanceof SteprollError ? error : {};
  const isYes = name === ErrorName.OutcomeUnknown && httpStatus >= 200 && httpStatus < 300;
  return isYes ? ANSWER_UNREADABLE : name;
}

interface Look {
  readonly byId: ReadonlyMap<string, Endpoint>;
  /** Somebody else has an endpoint of the wave, or two lists in a row do not show the waves before it converged. */
  readonly isHindered: boolean;
}

function decisionsOf(record: RolloutRecord, plan: RolloutPlan, seen: readonly Observation[]) {
  const { statuses } = record.request.policy;
  const undoneAt = undoneRollsAt(record.journal, plan);
  const indexes = new Map(plan.endpoints.map(({ endpointId }, index) => [endpointId, index]));

  return (
    endpointId: string,
    history: Attempts,
    { look, at, pinned }: Known<Look>,
  ): 'send' | Noted | undefined => {
    const index = indexes.get(endpointId) as number;
    const planned = plan.endpoints[index] as PlannedEndpoint;
    // Until the wave has its first look, the plan says for what an endpoint was chosen.
    const chosen = seen[index] ?? pendingAsPlanned(planned, legOf(plan));
    const { isBroken = false, isMoving = false } = chosen;
    const rolledForwardAt = undoneAt(endpointId);
    const endpoint = look.byId.get(endpointId);
    const evidence = { planned, endpoint, history, isBroken, isMoving, rolledForwardAt };
    const decision = decideRoll(evidence, statuses, at.watched);
    if (decision === 'found-rolled') return { result: 'accepted' };
    const isLeft = pinned.has(endpointId) || isLetGo(chosen);
    return decision === 'roll' && !isLeft && !look.isHindered ? 'send' : undefined;
  };
}
