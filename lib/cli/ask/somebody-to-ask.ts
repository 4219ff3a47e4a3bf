import type { Invocation } from '../invocation.ts';
import { hasPerson, terminalOfProcess } from './ask.ts';

/** Whether there is anybody is known before anything is drawn or read that they are asked about. */
export function withSomebodyToAsk(invocation: Invocation): Invocation {
  if (invocation.given['--yes'] === true || hasPerson(terminalOfProcess())) return invocation;
  const mistake = '--yes: missing; without a terminal there is nobody to ask';
  return { ...invocation, mistakes: [...invocation.mistakes, mistake] };
}
