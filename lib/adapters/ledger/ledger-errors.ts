import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { LEASE_TOLERANCE_MS } from '../../domain/rollout/lease.ts';
import type { Signal } from '../../domain/rollout/record.ts';
import {
  type AskedRequest,
  isOfOtherService,
  type RolloutRequest,
} from '../../domain/rollout/request.ts';
import { wordsOf } from '../../domain/signals/signals.ts';

export function leaseHeld(runtimeId: string, holder: string, leaseUntil: number): SteprollError {
  const until = new Date(leaseUntil + LEASE_TOLERANCE_MS).toISOString();
  return new SteprollError(
    ErrorName.LeaseHeld,
    `Rollout ${JSON.stringify(holder)} holds the lease of runtime ${JSON.stringify(runtimeId)}. Wait until it ends; if it died, the lease runs out by itself at ${until}.`,
    { holder },
  );
}

/** Another process goes on with the same rollout. */
export function stillRuns(rolloutId: string, leaseUntil: number): SteprollError {
  const until = new Date(leaseUntil + LEASE_TOLERANCE_MS).toISOString();
  return new SteprollError(
    ErrorName.LeaseHeld,
    `Rollout ${JSON.stringify(rolloutId)} is under way: another process holds the lease of its runtime. If that died on another machine, the lease runs out by itself at ${until}.`,
    { holder: rolloutId },
  );
}

/**
 * A rollout is never given up for one of another service, because its endpoints are still where it left them.
 *
 * @throws `LeaseHeld`
 */
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

export function rolloutClosed(rolloutId: string): SteprollError {
  return new SteprollError(
    ErrorName.RolloutClosed,
    `Rollout ${JSON.stringify(rolloutId)} has ended already.`,
  );
}

/** What it says of the rollout stays true: code that runs it later understands at least the same. */
export function notUnderstood(rolloutId: string, signal: Signal): SteprollError {
  return new SteprollError(
    ErrorName.NotUnderstood,
    `Rollout ${JSON.stringify(rolloutId)} is run by a steproll that does not understand ${wordsOf(signal).join(' with ')}, so nothing was sent. It understands an abort.`,
  );
}

/** A rollout id belongs to one runtime for ever. Otherwise one rollout could hold two leases. */
export function otherRuntime(request: RolloutRequest): SteprollError {
  return new SteprollError(
    ErrorName.InvalidInput,
    `Rollout ${JSON.stringify(request.rolloutId)} was opened for another runtime than ${JSON.stringify(request.runtimeId)}.`,
  );
}

/** Another process writes to the file and does not finish. */
export function ledgerLocked(error: unknown, where: string): SteprollError {
  const message = `${where} is locked: another process writes to it for longer than is waited for, or stands still in the midst of that (stopped with Ctrl-Z, suspended, in a debugger). Nothing of this was stored. Find that process (fuser or lsof name it), let it go on (fg, or kill -CONT) or end it, and try again.`;
  return new SteprollError(ErrorName.LedgerUnavailable, message, { cause: error });
}

/**
 * Gives an error of the storage the ledger's own name. An error of the ledger itself stays as it is; one about what is
 * stored says where that is.
 *
 * @param remedy What helps, in a sentence without its end. @default - it is not known
 */
export function asLedgerError(error: unknown, where: string, remedy?: string): SteprollError {
  if (error instanceof SteprollError) {
    if (error.name !== ErrorName.IncompatibleState) return error;
    return new SteprollError(error.name, `${where} cannot be read: ${error.message}`, {
      cause: error,
    });
  }
  const why = `${errorNameOf(error)}: ${errorMessageOf(error)}`;
  const then = remedy === undefined ? '' : `. ${remedy}.`;
  const message = `${where} cannot be read or written: ${why}${then}`;
  return new SteprollError(ErrorName.LedgerUnavailable, message, { cause: error });
}
