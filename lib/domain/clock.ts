// A rollout has a clock of its own. It goes on only while somebody watches the rollout, and every deadline, every age of an
// answer and of a write is a difference of its times. Whatever a machine's clock says is only for people, and for
// services that have such a clock, too.

/** Milliseconds since the Unix epoch, as the clock of a machine says. Two such times say little about what lies between. */
export type Instant = number & { readonly unit?: 'milliseconds since the Unix epoch' };

/** Milliseconds for which the rollout was watched, since it was opened. It never falls. */
export type Watched = number & { readonly unit?: 'watched milliseconds since the opening' };

export type Ms = number & { readonly unit?: 'milliseconds' };

export type Seconds = number & { readonly unit?: 'seconds' };

/** A moment of a rollout, by both clocks. That of the last look is stored with what the look has shown. */
export interface Moment {
  readonly at: Instant;
  readonly watched: Watched;
}

/** Nothing that a step waits for takes longer. If more time has passed, the process stood still. */
const LONGEST_PAUSE_MS: Ms = 120_000;

/** The clocks of others may be ahead of ours by this much. A time from further in the future is from a wrong clock. */
export const MOST_SKEW_MS: Ms = 5 * 60_000;

export function startClock(now: Instant): Moment {
  return { at: now, watched: 0 };
}

/**
 * Moves the clock on to the begin of a step: by at most what was waited for it. If more time has passed, the machine slept,
 * its clock jumped or the step began late, and nobody watched. If the machine's clock went back, the wait is what has
 * passed.
 *
 * @param waitedMs How long somebody has waited for the step since the last look; 0 when no such wait was meant.
 * @param isAfterWrites Whether writes came before the wait. What they did after the last line of the journal counts, too.
 */
export function moveOn(last: Moment, now: Instant, waitedMs: Ms, isAfterWrites = false): Moment {
  const passedMs = now - last.at;
  const mostMs = waitedMs + (isAfterWrites ? LONGEST_REST_MS : 0);
  const isLikely = passedMs >= 0 && passedMs <= mostMs;
  return { at: now, watched: last.watched + (isLikely ? passedMs : waitedMs) };
}

/** After their last line, writes pause and look once more, and note nothing. */
const LONGEST_REST_MS: Ms = 30_000;

/** Moves the clock on within a step. @param passedMs By how much, as the process itself has measured it. */
export function tick(last: Moment, now: Instant, passedMs: Ms): Moment {
  const isLikely = passedMs >= 0 && passedMs <= LONGEST_PAUSE_MS;
  return { at: now, watched: last.watched + (isLikely ? passedMs : 0) };
}

/** Another process goes on with the rollout. Nobody has watched since the last moment. */
export function standStill(last: Moment, now: Instant): Moment {
  return { at: now, watched: last.watched };
}

/**
 * The latest of these moments. Writes since the last look have moved the clock on, too, or it has stood still until a batch
 * was tried again.
 */
export function latestOf(moment: Moment, others: readonly Moment[]): Moment {
  const { at, watched } = others.reduce<Moment>((last, one) => {
    const isLater = one.watched === last.watched ? one.at > last.at : one.watched > last.watched;
    return isLater ? one : last;
  }, moment);
  return { at, watched };
}
