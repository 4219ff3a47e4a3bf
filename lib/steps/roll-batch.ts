import { type Batch, parseBatch } from '../contract/flow/position.ts';
import { mayWrite } from '../domain/containment/failure-policies.ts';
import {
  decideRoll,
  isWaveTaken,
  pendingAsPlanned,
  type RollDecision,
} from '../domain/decision/next-rolls.ts';
import type { JournalEntry, WriteResult } from '../domain/endpoint/journal.ts';
import {
  ANSWER_UNREADABLE,
  findDenial,
  NO_ROLLS,
  nextTry,
  ROLL_OPERATION,
  rollHistories,
  TARGET_TAKEN,
} from '../domain/endpoint/rolls.ts';
import { ErrorName, errorNameOf, SteprollError } from '../domain/errors.ts';
import type { RolloutPlan } from '../domain/rollout/plan.ts';
import type { RolloutRecord } from '../domain/rollout/record.ts';
import { retryWaitSeconds } from '../domain/wave/polls.ts';
import { isFresh, keepLease } from './frame/keep-lease.ts';
import type { StepPayload, WritePorts } from './frame/ports.ts';
import { readList } from './frame/read-list.ts';
import { tokenOf } from './frame/roll-token.ts';
import { signalsThatCount } from './frame/signals-that-count.ts';
import { takeUp } from './frame/take-up.ts';
import { type BatchSummary, countResults, writeEach } from './frame/write-each.ts';
import { serviceOf } from './group/group-service.ts';

/** The greatest age of the list that a roll is decided on. A batch whose writes take only seconds reads it once. */
const LONGEST_LIST_TRUST_MS = 15_000;

/** For how long a batch begins new writes. The rest waits for the next look. The function has 300 s. */
const LONGEST_BATCH_MS = 200_000;

export async function handleRollBatch(
  payload: StepPayload,
  context: WritePorts,
): Promise<BatchSummary> {
  const batch = parseBatch(payload.batch);
  return rollBatch(batch, { ...context, service: serviceOf(batch, context) });
}

/**
 * Rolls the endpoints of a batch that still need it. It reads the list first: when somebody else has moved an endpoint
 * of the wave, nothing is rolled, and an endpoint that has the desired target already is not written to again. The
 * intention goes to the journal before the first write. So after a crash, a write that may have been made differs from
 * one that was never made. Just before each handful of writes it checks whether anybody has asked to end, and decides
 * anew on a list that is not too old. A service that repeats rolls gets a token with each roll. When the step runs
 * again and nobody knows whether a roll arrived, the roll has the same token again. It is not sent again within one
 * run: a service that has just failed to answer needs time, and the next look may show that the roll has arrived.
 *
 * @throws `LeaseLost` before anything is written.
 */
export async function rollBatch(batch: Batch, ports: WritePorts): Promise<BatchSummary> {
  const { ledger, service, clock, signal } = ports;
  const { lease, record, plan } = await takeUp(ports, batch);
  const operation = ROLL_OPERATION[plan.direction];
  // A batch from before the rollout turned around would name other endpoints in the new plan.
  const isOver = batch.direction !== plan.direction || !mayWrite(operation, record.signals);
  // Credentials that were refused are not tried again.
  if (isOver || findDenial(record.journal) !== undefined) return {};

  const begunAt = clock.now();
  // The service wants to be asked later. The look after this batch waits for that.
  if (retryWaitSeconds(record, begunAt) > 0) return {};
  let look = await lookAt(batch, record, plan, ports);
  const histories = rollHistories(record.journal, plan.direction);
  const tryOf = (endpointId: string) => nextTry(histories.get(endpointId) ?? NO_ROLLS);
  const line = (endpointId: string, result: WriteResult): JournalEntry => ({
    at: clock.now(),
    operation,
    endpointId,
    result,
    ...(service.abilities.repeatsRolls && { try: tryOf(endpointId) }),
  });
  const idsOf = (wanted: RollDecision) =>
    [...look.decisions].flatMap(([id, decision]) => (decision === wanted ? [id] : []));
  const toRoll = idsOf('roll');
  const keep = keepLease(lease, clock.now(), ports);
  await ledger.append(lease, [
    ...idsOf('found-rolled').map((endpointId) => line(endpointId, 'accepted')),
    ...toRoll.map((endpointId) => line(endpointId, 'intended')),
  ]);
  const findRefusals = async (handful: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const refuse = (ids: readonly string[], reason: string) =>
      new Map(ids.map((id) => [id, reason]));
    if (clock.now() - begunAt >= LONGEST_BATCH_MS) return refuse(handful, 'Interrupted');
    const isOld = () => clock.now() - look.at >= LONGEST_LIST_TRUST_MS;
    if (isOld()) look = await lookAt(batch, record, plan, ports);
    const lookedAt = clock.now();
    await keep();
    const signals = await signalsThatCount(await ledger.readSignals(lease.rolloutId), ports);
    // The ledger took its time, or the process stood still, so nothing of this may be true any more.
    if (!isFresh(lookedAt, clock.now()) || isOld()) return findRefusals(handful);
    if (!mayWrite(operation, signals)) return refuse(handful, 'ToldToEnd');
    return refuse(
      handful.filter((id) => look.decisions.get(id) !== 'roll'),
      'NotNeeded',
    );
  };
  const desired = new Map(
    plan.endpoints.map(({ endpointId, desiredVersion }) => [endpointId, desiredVersion]),
  );
  const written = await writeEach(
    toRoll,
    async (endpointId) => {
      const version = desired.get(endpointId) as number;
      const token = service.abilities.repeatsRolls
        ? tokenOf(lease.rolloutId, plan.direction, endpointId, tryOf(endpointId))
        : undefined;
      const answer = await service.roll(batch.runtimeId, endpointId, version, undefined, token);
      return answer?.targetVersion === version ? TARGET_TAKEN : undefined;
    },
    { signal, findRefusals, reasonOf },
  );
  await ledger.append(
    lease,
    written.map(({ retryAfterSeconds, ...row }) => ({
      ...line(row.endpointId, row.result),
      ...row,
      ...(retryAfterSeconds && { retryAt: clock.now() + retryAfterSeconds * 1000 }),
    })),
  );
  return countResults(written);
}

/** A 2xx that makes no sense is a yes that cannot be read, and not a lost answer. */
function reasonOf(error: unknown): string {
  const name = errorNameOf(error);
  const { httpStatus = 0 } = error instanceof SteprollError ? error : {};
  const isYes = name === ErrorName.OutcomeUnknown && httpStatus >= 200 && httpStatus < 300;
  return isYes ? ANSWER_UNREADABLE : name;
}

/** Reads the list and decides each roll of the batch on it. */
async function lookAt(
  { from, to }: Batch,
  record: RolloutRecord,
  plan: RolloutPlan,
  { service, clock }: WritePorts,
): Promise<{ readonly at: number; readonly decisions: ReadonlyMap<string, RollDecision> }> {
  const endpoints = await readList(record, service);
  const at = clock.now();
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const { statuses } = record.request.policy;
  const seen = record.progress?.direction === plan.direction ? record.progress.observations : [];
  const histories = rollHistories(record.journal, plan.direction);
  const forward = plan.direction === 'back' ? rollHistories(record.journal, 'forward') : undefined;
  const isTaken = isWaveTaken(plan, from, byId);
  const decisions = plan.endpoints.slice(from, to).map((planned, index) => {
    const { endpointId } = planned;
    const history = histories.get(endpointId) ?? NO_ROLLS;
    const endpoint = byId.get(endpointId);
    // Until the wave has its first look, the plan says for what an endpoint was chosen.
    const chosen = seen[from + index] ?? pendingAsPlanned(planned, plan.direction);
    const { isBroken = false, isMoving = false } = chosen;
    const rolledForwardAt = forward?.get(endpointId)?.last?.at;
    const evidence = { planned, endpoint, history, isBroken, isMoving, rolledForwardAt };
    const decision = decideRoll(evidence, statuses, at);
    return [endpointId, isTaken && decision === 'roll' ? 'leave' : decision] as const;
  });
  return { at, decisions: new Map(decisions) };
}
