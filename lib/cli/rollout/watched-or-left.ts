import { hasPerson, terminalOfProcess } from '../ask/ask.ts';
import type { Invocation } from '../invocation.ts';

/** On AWS a rollout goes on by itself: where nobody looks, whether to wait for its end has to be said. */
export function watchedOrLeft(invocation: Invocation): Invocation {
  const { given, mistakes } = invocation;
  const isSaid = given['--watch'] === true || given['--detach'] === true;
  if (isSaid || hasPerson(terminalOfProcess())) return invocation;
  const mistake =
    '--watch: missing; without a terminal use --watch to wait for the end of the rollout, or --detach to leave it';
  return { ...invocation, mistakes: [...mistakes, mistake] };
}
