import type { Ending } from '../decision.ts';
import { ErrorName } from '../errors.ts';

/** What a process answers of a rollout that another process has, and that has not ended there yet. */
export const GOES_ON_ELSEWHERE: Ending = {
  outcome: 'Errored',
  reason: ErrorName.LeaseLost,
  message: 'Another process has this rollout, and goes on with it.',
};
