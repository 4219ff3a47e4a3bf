import type { ToldRollout } from '../desk.ts';

/** The section of the runbook for how a rollout ended. `null`: it is under way, or did well. */
export function sectionFor(
  { outcome, reason }: Pick<ToldRollout['report'], 'outcome' | 'reason'>,
  runsHere: boolean,
): string | null {
  if (outcome !== 'Failed' && outcome !== 'Errored') return null;
  const isOfJanitor =
    !runsHere && (reason === 'TimedOut' || reason?.startsWith('Execution') === true);
  return isOfJanitor ? 'The janitor had work' : 'A rollout failed';
}
