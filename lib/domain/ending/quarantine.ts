import type { Instant } from '../clock.ts';
import { secondsOf } from '../durations.ts';
import { type Hold, isOver, LONGEST_QUARANTINE_MS, NOBODY } from '../holds/hold.ts';
import { type HoldNews, pastHolds } from '../holds/news.ts';
import { groupNameOf } from '../rollout/group.ts';
import type { Outcome } from '../rollout/outcome.ts';
import { APPROVAL_TIMED_OUT } from '../rollout/outcome.ts';
import type { AskedRequest } from '../rollout/request.ts';
import { cutShort } from '../sentences.ts';
import { NOTHING_TO_DO, WITHOUT_PINNED } from './success.ts';

// A version that failed as bad is in quarantine, without a person.

/** Characters, as many as events say. */
const LONGEST_REASON = 300;
/** So many of them may be on a runtime, so that people have room for their own. The oldest ones are lifted first. */
const MOST_QUARANTINES = 50;

export interface Ended {
  readonly request: AskedRequest;
  readonly outcome: Outcome;
  readonly endedAt: Instant;
}

export function concernsQuarantine(ended: Ended): boolean {
  return quarantineAfter(ended) !== null || hasRedeemed(ended);
}

/**
 * The holds on its runtime after a rollout has ended. A version that failed as bad is in quarantine from then on, and each
 * failure prolongs that. One that a person has rolled again with success is not in quarantine any more. `null`: nothing
 * changes, also when this end was heeded before.
 */
export function afterEnd(holds: readonly Hold[], ended: Ended): readonly Hold[] | null {
  const { request, endedAt } = ended;
  const own = holds.filter(({ scope, after }) => {
    return after !== undefined && isOf(request, scope);
  });
  // The end may be looked at more than once, and somebody may have lifted the quarantine since.
  if (own.some(({ at, lifted }) => at >= endedAt || (lifted?.at ?? 0) >= endedAt)) return null;
  if (hasRedeemed(ended)) return redeem(holds, own, ended);
  const added = quarantineAfter(ended);
  if (added === null) return null;
  const reason = `rollout ${request.rolloutId} prolongs it`;
  const replaced = replace(holds, own, { by: NOBODY, reason, at: endedAt });
  const others = makeRoom(replaced, ended);
  const standing = others.filter((hold) => !isOver(hold, endedAt));
  return [...pastHolds(others, endedAt), ...standing, added];
}

/** A version that is not in quarantine any more could be rolled again, so people are told of each that has to go. */
function makeRoom(holds: readonly Hold[], { request, endedAt }: Ended): readonly Hold[] {
  const before = holds.filter((hold) => !isOver(hold, endedAt) && hold.after !== undefined);
  const tooMany = before.slice(0, Math.max(0, before.length + 1 - MOST_QUARANTINES));
  const why = `rollout ${request.rolloutId} puts version ${request.desiredVersion} into quarantine`;
  const reason = `${why}, and a runtime has room for ${MOST_QUARANTINES}: the oldest one goes`;
  const lifted = { by: NOBODY, reason, at: endedAt };
  return holds.map((hold) => (tooMany.includes(hold) ? { ...hold, lifted } : hold));
}

/** Nobody is told that these are lifted, because the version stays in quarantine. */
function replace(
  holds: readonly Hold[],
  own: readonly Hold[],
  lifted: Required<Hold>['lifted'],
): readonly Hold[] {
  const told = (hold: Hold) => [...(hold.told ?? []), 'hold-lifted' satisfies HoldNews];
  return holds.map((hold) =>
    own.includes(hold) && !isOver(hold, lifted.at) ? { ...hold, lifted, told: told(hold) } : hold,
  );
}

function isOf({ runtimeId, desiredVersion }: AskedRequest, scope: Hold['scope']): boolean {
  return scope.runtimeId === runtimeId && scope.version === desiredVersion;
}

/** Each rollout of a group's runtimes says this for its own version. No answer in time is no no to a version. */
export function quarantineAfter({ request, outcome, endedAt }: Ended): Hold | null {
  const { runtimeId, rolloutId, desiredVersion, revert, policy } = request;
  if (outcome.failure !== 'bad' || outcome.reason === APPROVAL_TIMED_OUT) return null;
  if (desiredVersion === null || revert !== undefined || groupNameOf(runtimeId) !== null)
    return null;
  const { afterBad = '30d' } = policy?.quarantine ?? {};
  const lastsMs = Math.min((secondsOf(`${afterBad}`) ?? 0) * 1000, LONGEST_QUARANTINE_MS);
  if (lastsMs === 0) return null;
  // What became of the endpoints, which comes after it, says nothing against the version.
  const [why] = outcome.message.split(/(?<=\.) /, 1);
  return {
    id: `after-${rolloutId}`,
    kind: 'quarantine',
    scope: { runtimeId, version: desiredVersion },
    by: NOBODY,
    reason: cutShort(`rollout ${rolloutId} found it bad: ${why}`, LONGEST_REASON),
    at: endedAt,
    until: endedAt + lastsMs,
    after: rolloutId,
  };
}

/** A revert asks no gate. Where nothing was rolled, or perhaps nothing, nothing was tried. */
function hasRedeemed({ request, outcome }: Ended): boolean {
  const { again, revert, startedBy } = request;
  const isTried =
    outcome.outcome === 'Succeeded' &&
    outcome.reason !== NOTHING_TO_DO &&
    outcome.reason !== WITHOUT_PINNED;
  return isTried && again === true && revert === undefined && startedBy.kind === 'person';
}

function redeem(
  holds: readonly Hold[],
  own: readonly Hold[],
  { request, endedAt }: Ended,
): readonly Hold[] | null {
  const standing = own.filter((hold) => !isOver(hold, endedAt));
  if (standing.length === 0) return null;
  const { rolloutId, startedBy } = request;
  const by = startedBy.name || NOBODY;
  const lifted = { by, reason: `rollout ${rolloutId} has succeeded with it`, at: endedAt };
  return holds.map((hold) => (standing.includes(hold) ? { ...hold, lifted } : hold));
}
