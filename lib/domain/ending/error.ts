import type { Ms } from '../clock.ts';
import { describeDuration } from '../durations.ts';
import { isNoAccess, isOurs, isRefusal, meaningOf } from '../error-meanings.ts';
import { ErrorName, SteprollError } from '../errors.ts';
import type { Ending } from '../rollout/outcome.ts';
import type { AskedRollout } from '../rollout/record.ts';
import { capitalized, describeSeconds } from '../sentences.ts';
import { describeTakenPermission } from './taken-permission.ts';

/** The ending of a rollout that an error ends: Errored, unless the error is a clear no. */
export function endByError(name: string, message: string): Ending {
  return {
    outcome: meaningOf(name).ending,
    reason: name,
    message: message || `A step ended with ${name}.`,
  };
}

/** The ending of a rollout that an error kept from beginning. `null`: the error says nothing of that kind. */
export function endRefused(error: unknown): Ending | null {
  const isOne = error instanceof SteprollError && isRefusal(error.name);
  return isOne ? endByError(error.name, error.message) : null;
}

/** What has a plan has begun, and was not refused, whatever an error says. */
export function unlessBegun(ending: Ending, { plan }: Pick<AskedRollout, 'plan'>): Ending {
  return ending.outcome === 'Refused' && plan !== null ? { ...ending, outcome: 'Failed' } : ending;
}

/** The ending of one whose step failed, where of a crash it says what has crashed. @param what `the function look` */
export function endByCrash(name: string, message: string, what: string): Ending {
  if (isOurs(name)) return endByError(name, message);
  const why = message === '' ? '.' : `: ${message}`;
  return errored(name, `${capitalized(what)} failed with ${name}${why}`);
}

/** Neither the ledger nor the workflow has a reason, which only another version of steproll could have lost. */
export const UNEXPLAINED: Ending = {
  outcome: 'Errored',
  reason: ErrorName.IncompatibleState,
  message: 'The ledger has no reason for this end.',
};

/** @param silentMs For how long nobody has known how the wave is. Lists before may have been read, and told too little. */
export function endUnreadable({ name, message }: SteprollError, silentMs: Ms): Ending {
  const howLong = describeDuration(silentMs);
  return errored(
    name,
    `The list of endpoints cannot be read, and for ${howLong} nobody has known how the wave is, so nothing is stopped or rolled back. ${describeTrouble(name, message)}`,
  );
}

/** What a list that is read before there is a plan has in it. */
export type ListOf = 'endpoints' | 'versions';

export function endUnlisted(
  { name, message }: SteprollError,
  what: ListOf,
  seconds: number,
): Ending {
  return errored(
    name,
    `Nothing was rolled: the list of ${what} could not be read for ${describeSeconds(seconds)}. ${message}`,
  );
}

/** An error that kept a rollout from going on. Of refused credentials it says what helps. */
export function describeTrouble(name = '', message = '', wasThere = true): string {
  if (name === ErrorName.PermissionMissing) return describeTakenPermission(message, wasThere);
  return isNoAccess(name)
    ? `The credentials were refused: ${message}\nCorrect them or their permissions.`
    : message;
}

export function errored(reason: string, message: string): Ending {
  return { outcome: 'Errored', reason, message };
}

export function endExpired(lateSeconds: number, maxAgeSeconds: number): Ending {
  return endByError(
    ErrorName.StaleTrigger,
    `Nothing was rolled: it was to be looked at ${describeSeconds(lateSeconds)} ago and no listener ran, and after ${describeSeconds(maxAgeSeconds)} it starts nothing.`,
  );
}

/** The workflow has ended with this status, and its last step has not run. */
export function endUnclosed(status: string): Ending {
  return errored(status, `The workflow ended as ${status}.`);
}

export const GOES_ON_ELSEWHERE: Ending = {
  outcome: 'Errored',
  reason: ErrorName.LeaseLost,
  message: 'Another process has this rollout, and goes on with it.',
};
