import { ErrorName, SteprollError } from '../domain/errors.ts';
import { MOST_HOLDS, MOST_PINS } from '../domain/holds/hold.ts';
import { dateTime } from '../domain/local-time.ts';
import { LEASE_TOLERANCE_MS } from '../domain/rollout/lease.ts';
import { isOfOtherService } from '../domain/rollout/other-service.ts';
import type { Outcome } from '../domain/rollout/outcome.ts';
import type { Signal } from '../domain/rollout/record.ts';
import type { AskedRequest, RolloutRequest } from '../domain/rollout/request.ts';
import { wordsOf } from '../domain/signals/signals.ts';

export function leaseHeld(runtimeId: string, holder: string, leaseUntil: number): SteprollError {
  const until = dateTime(leaseUntil + LEASE_TOLERANCE_MS);
  return new SteprollError(
    ErrorName.LeaseHeld,
    `Rollout ${JSON.stringify(holder)} holds the lease of runtime ${JSON.stringify(runtimeId)}. Wait until it ends; if it died, the lease runs out by itself at ${until}.`,
    { holder },
  );
}

/** Nobody holds the lease, so the refused one may look again at once. */
export function leaseHadMeanwhile(runtimeId: string): SteprollError {
  return new SteprollError(
    ErrorName.LeaseHeld,
    `Another rollout of runtime ${JSON.stringify(runtimeId)} has rolled and ended in between.`,
  );
}

/** Another process goes on with the same rollout. */
export function stillRuns(rolloutId: string, leaseUntil: number): SteprollError {
  const until = dateTime(leaseUntil + LEASE_TOLERANCE_MS);
  return new SteprollError(
    ErrorName.LeaseHeld,
    `Rollout ${JSON.stringify(rolloutId)} is under way: another process holds the lease of its runtime. If that died on another machine, the lease runs out by itself at ${until}.`,
    { holder: rolloutId },
  );
}

/** Never given up for one of another service: its endpoints are still where it left them. @throws `LeaseHeld` */
export function refuseTakeOver(holder: AskedRequest, request: RolloutRequest): void {
  if (!isOfOtherService(holder, request)) return;
  const { rolloutId, runtimeId, endpointUrl } = holder;
  throw new SteprollError(
    ErrorName.LeaseHeld,
    `Rollout ${JSON.stringify(rolloutId)} holds the lease of runtime ${JSON.stringify(runtimeId)} at ${endpointUrl}, and has not ended. If the service has moved, end or resume that rollout first. Two services with runtimes of the same id need a ledger each: another STEPROLL_STATE_DIR on one machine, another stack on AWS.`,
    { holder: rolloutId },
  );
}

export function leaseLost(rolloutId: string): SteprollError {
  return new SteprollError(
    ErrorName.LeaseLost,
    `Rollout ${JSON.stringify(rolloutId)} is closed, or another rollout has taken its lease over.`,
  );
}

export function rolloutNotFound(rolloutId: string): SteprollError {
  return new SteprollError(
    ErrorName.RolloutNotFound,
    `The ledger knows no rollout ${JSON.stringify(rolloutId)}.`,
  );
}

/** @param outcome How it has ended. @default - not known */
export function rolloutClosed(rolloutId: string, outcome?: Outcome): SteprollError {
  const how = outcome === undefined ? '.' : `, as ${outcome.outcome}: ${outcome.message}`;
  return new SteprollError(
    ErrorName.RolloutClosed,
    `Rollout ${JSON.stringify(rolloutId)} has ended already${how}`,
  );
}

/** What it says of the rollout stays true: code that runs it later understands at least the same. */
export function notUnderstood(rolloutId: string, signal: Signal): SteprollError {
  return new SteprollError(
    ErrorName.NotUnderstood,
    `Rollout ${JSON.stringify(rolloutId)} is run by a steproll that does not understand ${wordsOf(signal).join(' with ')}, so nothing was sent. It understands an abort.`,
  );
}

/** The rollout takes no answer now, or one to another wave. */
export function approvalNotWanted(
  rolloutId: string,
  { wave }: Pick<Signal, 'wave'>,
): SteprollError {
  return new SteprollError(
    ErrorName.ApprovalNotWanted,
    `Rollout ${JSON.stringify(rolloutId)} takes no answer to wave ${(wave ?? 0) + 1} now.`,
  );
}

/** A rollout id belongs to one runtime for ever. Otherwise one rollout could hold two leases. */
export function otherRuntime(request: RolloutRequest): SteprollError {
  return new SteprollError(
    ErrorName.InvalidInput,
    `Rollout ${JSON.stringify(request.rolloutId)} was opened for another runtime than ${JSON.stringify(request.runtimeId)}.`,
  );
}

export function tooManyHolds(): SteprollError {
  return new SteprollError(
    ErrorName.InvalidInput,
    `There are ${MOST_HOLDS} holds already. Lift those that are not needed any more.`,
  );
}

export function tooManyPins(): SteprollError {
  return new SteprollError(
    ErrorName.InvalidInput,
    `There are ${MOST_PINS} pins on this runtime already. Lift those that are not needed any more, or leave the endpoints out with selection.exclude of the policy.`,
  );
}

export function holdsNothing(until: number, now: number): SteprollError {
  return new SteprollError(
    ErrorName.InvalidInput,
    `Nothing is held: the hold would be over at ${dateTime(until)}, and it is ${dateTime(now)} by the clock of the ledger. Use a later time.`,
  );
}

/** Each further pass means that somebody else was faster. */
export const MOST_PASSES = 10;

export function changedTooOften(what: string, verb: string): SteprollError {
  return new SteprollError(
    ErrorName.LedgerUnavailable,
    `${what} ${verb} ${MOST_PASSES} times while it was read.`,
  );
}
