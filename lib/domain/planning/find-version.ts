import { ErrorName, SteprollError } from '../errors.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import { type AskedVersion, LATEST } from '../rollout/request.ts';
import { type PatientWait, queueSeconds } from '../turn/queue.ts';
import type { RuntimeVersion } from './version.ts';

/** What the list of a runtime's versions says of the one that was asked for. */
export type FoundVersion =
  | { readonly state: 'ready'; readonly version: number }
  /** It cannot be rolled yet. The message is a sentence for people. */
  | { readonly state: 'making'; readonly version: number; readonly message: string }
  /** It cannot be rolled. `mayCome`: it is above every version that there is, so it may be about to be listed. */
  | { readonly state: 'none'; readonly mayCome: boolean; readonly message: string };

/**
 * Finds a version in the list of all versions of a runtime. The latest one is the highest one whose making has not
 * failed, also while it is being made: who has just made a version and asks for the latest one means that one.
 */
export function findVersion(
  versions: readonly RuntimeVersion[],
  asked: AskedVersion,
): FoundVersion {
  const good = versions
    .filter(({ state }) => state !== 'failed')
    .toSorted((a, b) => b.version - a.version);
  const wanted = asked === LATEST ? good[0]?.version : asked;
  const one = versions.find(({ version }) => version === wanted);
  if (wanted === undefined || one === undefined) {
    const what = wanted === undefined ? 'a version that can be rolled' : `version ${wanted}`;
    const mayCome = wanted !== undefined && versions.every(({ version }) => version < wanted);
    const message = `The runtime does not have ${what}${describeNewest(good)}.`;
    return { state: 'none', mayCome, message };
  }
  switch (one.state) {
    case 'failed': {
      const message = `Version ${wanted} could not be made${describeNewest(good)}.`;
      return { state: 'none', mayCome: false, message };
    }
    case 'making':
      return { state: 'making', version: wanted, message: `Version ${wanted} is being made.` };
    default:
      return { state: 'ready', version: wanted };
  }
}

const MOST_NAMED = 3;

/** The newest versions, for the end of a sentence. */
function describeNewest(newestFirst: readonly RuntimeVersion[]): string {
  const names = newestFirst
    .slice(0, MOST_NAMED)
    .map(({ version, state }) => (state === 'making' ? `${version} (being made)` : `${version}`));
  if (names.length === 0) return '';
  return names.length === 1
    ? `; its only one is ${names[0]}`
    : `; its newest ones are ${names.join(', ')}`;
}

/** A release may be quicker than the list of versions. */
const UNLISTED_SECONDS = 60;

type VersionDecision = { readonly decision: 'go'; readonly version: number } | PatientWait;

/**
 * Decides whether a rollout may go to the version that was found. It waits for a version that is being made, for as
 * long as the progress deadline, and for one that may be about to be listed, for a minute.
 *
 * @throws `VersionUnknown`
 */
export function decideVersion(
  found: FoundVersion,
  waitedSeconds: number,
  { progressDeadlineSeconds }: Pick<RolloutPolicy, 'progressDeadlineSeconds'>,
): VersionDecision {
  if (found.state === 'ready') return { decision: 'go', version: found.version };
  const secondsLeft = limitOf(found, progressDeadlineSeconds) - waitedSeconds;
  if (secondsLeft <= 0) throw unknownVersion(found, waitedSeconds);
  const seconds = Math.ceil(Math.min(queueSeconds(waitedSeconds), secondsLeft));
  return { decision: 'wait', seconds, secondsLeft, message: found.message };
}

function limitOf(found: Exclude<FoundVersion, { state: 'ready' }>, deadline: number): number {
  if (found.state === 'making') return deadline;
  return found.mayCome ? Math.min(UNLISTED_SECONDS, deadline) : 0;
}

/** The error for a version that cannot be rolled, or that was waited for in vain. */
export function unknownVersion(
  { message }: Exclude<FoundVersion, { state: 'ready' }>,
  waitedSeconds = 0,
): SteprollError {
  const waited = waitedSeconds > 0 ? ` The wait of ${Math.floor(waitedSeconds)} s is over.` : '';
  return new SteprollError(ErrorName.VersionUnknown, `${message}${waited}`);
}
