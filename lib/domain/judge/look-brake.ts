/** Looks that a rollout may make as often as it likes. */
const FREE_LOOKS = 1_000;

/** After so many more, the shortest wait between two looks doubles. */
const DOUBLING_LOOKS = 150;

const FIRST_SECONDS = 60;
const LONGEST_SECONDS = 6 * 3600;

/**
 * The shortest wait before the next look, in seconds, after `looks` of them. Whatever goes wrong, two weeks
 * of looks stay near 2,000: those are 18,000 of the 25,000 events that an execution may have.
 */
export function brakeSeconds(looks: number): number {
  if (looks < FREE_LOOKS) return 0;
  const seconds = FIRST_SECONDS * 2 ** ((looks - FREE_LOOKS) / DOUBLING_LOOKS);
  return Math.ceil(Math.min(LONGEST_SECONDS, seconds));
}
