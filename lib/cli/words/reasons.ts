import { keptBecause } from '../../domain/containment/kept-because.ts';
import { ErrorName } from '../../domain/errors.ts';

/** What an endpoint was or is, where its fate has that as its reason. */
const STATES: Readonly<Record<string, string>> = {
  failed: 'in a failed state',
  missing: 'gone from the list',
  reverted: 'on an earlier version',
  'taken-back': 'taken back to an earlier version',
  superseded: 'elsewhere',
  requested: 'in mid-roll',
  progressing: 'in mid-roll',
  'in-mid-roll': 'in mid-roll',
  pending: 'not asked to roll yet',
  converged: 'live in 1 of 2 looks',
};

const NO_ACCESS = 'the credentials were refused';
const NO_ANSWER = 'the service did not answer';

/** Why a write came to nothing. */
const ERRORS: Readonly<Record<string, string>> = {
  [ErrorName.UpstreamRejected]: 'the service said no',
  [ErrorName.UpstreamConflict]: 'the service said that it is busy',
  [ErrorName.UpstreamNotFound]: 'the service does not know it',
  [ErrorName.UpstreamThrottled]: 'the service had too many requests',
  [ErrorName.UpstreamAuth]: NO_ACCESS,
  [ErrorName.InvalidCredential]: NO_ACCESS,
  [ErrorName.SecretUnavailable]: NO_ACCESS,
  [ErrorName.PermissionMissing]: 'the functions have no permission for it',
  [ErrorName.UpstreamTransient]: NO_ANSWER,
  [ErrorName.UpstreamTimeout]: NO_ANSWER,
  [ErrorName.OutcomeUnknown]: 'nobody knows whether it arrived',
};

/** The reason of a fate or of a write in words for people. One that has none is shown as it is. */
export function reasonInWords(reason: string): string {
  return STATES[reason] ?? ERRORS[reason] ?? keptBecause(reason);
}
