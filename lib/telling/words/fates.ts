import { keptBecause } from '../../domain/containment/decide-stop.ts';
import type { Fate } from '../../domain/ending/fate.ts';
import type { EndpointState } from '../../domain/endpoint/observation.ts';
import { ErrorName } from '../../domain/errors.ts';
import { dateTime } from '../../domain/local-time.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { describeWanted } from '../../domain/rollout/request.ts';
import { type FateGroup, groupByFate } from '../story/fates.ts';
import { listNames, plainText } from '../text.ts';

/**
 * The fates of a rollout's endpoints: in words for one of them, and as a line about all that have it. Fates that people
 * look for first are listed with names.
 */
export function describeFates(record: AskedRollout) {
  const wanted = describeWanted(record.request);
  return groupByFate(record).map(({ names, since, ...told }) => {
    const words = describeFate(told, wanted);
    const most = EXPECTED.has(told.fate) ? FEW_NAMES : MANY_NAMES;
    const text = `${names.length} ${words}: ${listNames(names, most)}`;
    // After the end nobody has looked any more.
    const isOver = since === null || record.outcome !== null || !UNSETTLED.has(told.fate);
    if (isOver) return { ...told, words, text };
    const who = names.length === 1 ? '' : `${plainText(since.name)} `;
    return { ...told, words, text: `${text}; ${who}unchanged since ${dateTime(since.at)}` };
  });
}

/** Of these people want to know for how long. */
const UNSETTLED: ReadonlySet<Fate> = new Set(['in-mid-roll', 'lost', 'not-back']);

const EXPECTED: ReadonlySet<Fate> = new Set(['live', 'back', 'not-rolled']);
const FEW_NAMES = 5;
const MANY_NAMES = 20;

/**
 * A fate in words, with what explains it: `stopped (was in mid-roll)`.
 *
 * @param wanted Where the rollout goes, as `describeWanted` says it.
 */
export function describeFate(
  { fate, reason, statusReason }: Pick<FateGroup, 'fate' | 'reason' | 'statusReason'>,
  wanted: string,
): string {
  if (reason === 'previous-unknown') return plainText(`left on ${wanted} (no version before)`);
  const state = reason === null ? [] : [reasonInWords(reason)];
  const said = statusReason === null ? [] : [statusReason];
  const because = (parts: readonly string[], was = '') =>
    parts.length === 0 ? '' : ` (${was}${parts.join(': ')})`;
  const all = [...state, ...said];
  const words: Readonly<Record<Fate, () => string>> = {
    live: () => `live on ${wanted}`,
    back: () => `back on the version before${because(said, 'its service had said: ')}`,
    'not-back': () => `not back on the version before${because(all)}`,
    stopped: () => `stopped${because(all, 'was ')}`,
    kept: () => `not stopped${because(all)}`,
    'stop-unsure': () => `asked to stop, and nobody knows whether it did${because(all)}`,
    refused: () => `not rolled${because(state)}`,
    lost: () => `${state.join('')}${because(said)}`,
    'in-mid-roll': () => state[0] ?? 'in mid-roll',
    'not-rolled': () => `not rolled${because(state)}`,
  };
  return plainText(words[fate]());
}

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
} satisfies Record<EndpointState | 'in-mid-roll', string>;

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
