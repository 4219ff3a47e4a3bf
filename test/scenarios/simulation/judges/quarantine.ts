import type { Hold } from '../../../../lib/domain/holds/hold.ts';
import type { RolloutSummary } from '../../../../lib/domain/rollout/record.ts';
import { RUNTIME } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';

// What is held when all rollouts have ended.

const DAY_MS = 24 * 3600 * 1000;

interface Ended extends RolloutSummary {
  readonly endedAt: number;
  readonly outcome: NonNullable<RolloutSummary['outcome']>;
}

/** Of the versions that failed as bad and were not redeemed by a person, and of no others. */
export function badIsInQuarantine(
  _: Ordeal,
  { holdsLeft, rollouts }: Pick<Observed, 'holdsLeft' | 'rollouts'>,
): string[] {
  const ended = rollouts
    .flatMap((one) => (isEnded(one) && one.revert === undefined ? [one] : []))
    .toSorted((one, other) => one.endedAt - other.endedAt);
  const expected = new Map<number, Ended>();
  for (const one of ended) {
    const { desiredVersion } = one;
    if (desiredVersion === null) continue;
    if (isFoundBad(one)) expected.set(desiredVersion, one);
    else if (isRedeemed(one)) expected.delete(desiredVersion);
  }
  const standing = holdsLeft.filter(({ after, lifted }) => after !== undefined && !lifted);
  const isOf = (hold: Hold, { rolloutId }: Ended) => hold.after === rolloutId;
  return [
    ...standing.flatMap((hold) => {
      const of = [...expected.values()].find((one) => isOf(hold, one));
      if (of === undefined) return [`version ${hold.scope.version} is in quarantine: ${hold.id}`];
      return faultsOf(hold, of).map((fault) => `${hold.id} ${fault}`);
    }),
    ...[...expected.values()]
      .filter((one) => standing.filter((hold) => isOf(hold, one)).length !== 1)
      .map(({ rolloutId }) => `${rolloutId} was bad, and its version is not in quarantine once`),
  ];
}

function isEnded(one: RolloutSummary): one is RolloutSummary & Ended {
  return one.outcome !== null && one.endedAt !== null;
}

function isFoundBad({ outcome: { failure, reason } }: Ended): boolean {
  return failure === 'bad' && reason !== 'ApprovalTimedOut';
}

/** A person has rolled it again, with success. */
function isRedeemed({ outcome, again, startedBy }: Ended): boolean {
  const isTried = outcome.outcome === 'Succeeded' && outcome.reason !== 'NothingToDo';
  return isTried && again === true && startedBy.kind === 'person';
}

function faultsOf(hold: Hold, { desiredVersion, outcome, endedAt }: Ended): string[] {
  const { kind, scope, at, until, reason } = hold;
  const why = outcome.message.slice(0, 40).split('. ')[0] ?? '';
  const isOnVersion = scope.runtimeId === RUNTIME && scope.version === desiredVersion;
  return [
    ...(kind === 'quarantine' && isOnVersion ? [] : ['is on something else']),
    ...(at === endedAt && until === at + 30 * DAY_MS ? [] : ['does not last 30 days from the end']),
    ...(reason.includes(why) ? [] : [`does not say why: ${reason}`]),
  ];
}

/** Nobody but people lifts what people hold. */
export function peopleKeepTheirHolds(
  _: Ordeal,
  { holds, holdsLeft, rollouts }: Pick<Observed, 'holds' | 'holdsLeft' | 'rollouts'>,
): string[] {
  const endedAt = Math.max(...rollouts.map((one) => one.endedAt ?? 0));
  return holds.flatMap(({ id, overAt }) => {
    const left = holdsLeft.find((one) => one.id === id);
    if (left === undefined) return overAt > endedAt ? [`${id} is gone`] : [];
    return (left.lifted?.by ?? 'bob') === 'bob' ? [] : [`${left.lifted?.by} has lifted ${id}`];
  });
}
