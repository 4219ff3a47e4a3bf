import type { OutcomeKind } from '../rollout/outcome.ts';
import type { RolloutSummary } from '../rollout/record.ts';
import type { Trigger } from './trigger.ts';

/** A release that was taken is not rolled again for so many milliseconds. */
export const ONCE_MS = 24 * 3_600_000;

/** An event of a release that asks for its rollout. Times are milliseconds since the Unix epoch. */
export interface ReleaseWish {
  /** A hash of what makes the release. */
  readonly release: string;
  /** The rollout that this event starts if none rolls the release. */
  readonly rolloutId: string;
  readonly at: number;
}

/** After any other end somebody has got what they wanted: the release, a newer one, or that it is not rolled. */
const ROLLS_AGAIN: readonly OutcomeKind[] = ['Failed', 'Errored', 'Refused'];

/**
 * What makes two events the same release: it is the same text for both. A sender that uses an id twice, for another
 * version or another runtime, means another release. `null`: nobody can say, so each event is a release of its own.
 */
export function releaseOf({
  kind,
  releaseId,
  runtimeId,
  wanted,
}: Pick<Trigger, 'kind' | 'releaseId' | 'runtimeId' | 'wanted'>): string | null {
  if (kind !== 'release' || releaseId === undefined) return null;
  const version = 'version' in wanted ? wanted.version : { from: wanted.versionFrom.endpoint };
  return JSON.stringify([runtimeId, version, releaseId]);
}

/**
 * The refusal of a trigger counts as a release that is rolled once in a day: whoever takes it tells people. It takes part
 * in no other release, because those have hashes for their names. @param rolloutId Of the rollout that was refused
 */
export function wishToTell({
  rolloutId,
  runtimeId,
}: Readonly<Record<'rolloutId' | 'runtimeId', string>>): ReleaseWish {
  // However it ended, it was told.
  return { release: `refused#${runtimeId}`, rolloutId, at: 0 };
}

/** Events carry whole seconds: this one may have been sent so much later than it says. */
const SECOND_MS = 1_000;

/**
 * Whether a release that was taken is not rolled again for an event.
 *
 * @param sentAt When the event was sent. Only one that was sent after a failure asks for another try: the others were
 *   about the rollout that failed, however late they come.
 * @param rollout Of the release. `null`: nobody has recorded it yet. Whoever took the release is about to, or has died,
 *   and then the next event of the release starts this very rollout.
 */
export function isStillTaken(
  takenAt: number,
  sentAt: number,
  rollout: Pick<RolloutSummary, 'outcome' | 'endedAt'> | null,
  now: number,
): boolean {
  if (now - takenAt >= ONCE_MS) return false;
  if (rollout?.outcome == null || rollout.endedAt === null) return true;
  const hasFailed = ROLLS_AGAIN.includes(rollout.outcome.outcome);
  return !hasFailed || sentAt + SECOND_MS <= rollout.endedAt;
}
