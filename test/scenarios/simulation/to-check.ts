import type { CheckAnswer } from '../../../lib/gates/check-answer.ts';
import type { Check, CheckQuestion } from '../../../lib/gates/checks.ts';
import type { GatePorts } from '../../../lib/gates/gates.ts';
import { isNow } from '../../../lib/rehearsal/service-faults.ts';
import { scenarioNow, scenarioTime, secondsSinceStart } from '../../support/scenario-time.ts';
import { nameOfCheck } from './fault-names.ts';
import type { CheckCall, DrawnCheck } from './ordeal.ts';

/** The name of the check of rollouts that have one. */
export const CHECK = 'tests';

/** How a policy says it. */
export function checkOf({ when, isEnforced, everySeconds, deadlineSeconds }: DrawnCheck): Check {
  return {
    ...{ name: CHECK, url: 'https://checks.example.com', when, deadlineSeconds },
    ...{ timeoutSeconds: 10, warmUpSeconds: 0 },
    ...(everySeconds !== null && { everySeconds }),
    ...(!isEnforced && { enforce: false }),
  };
}

/** Lets the check answer, and notes what it is asked. */
export function checkPort(
  check: DrawnCheck | undefined,
  { meet, note }: { meet(fault: string): void; note(asked: readonly CheckCall[]): void },
): Partial<Pick<GatePorts, 'check'>> {
  if (check === undefined) return {};
  const asked: CheckCall[] = [];
  const began = new Map<number, number>();
  return {
    async check(_, question) {
      const told = answerTo(check, question, began);
      if (told.verdict !== 'pass') meet(nameOfCheck(told));
      const { wave, when, attempt, rolloutId } = question;
      asked.push({ at: scenarioNow(), rolloutId, wave, when, attempt, ...told });
      note([...asked]);
      return told;
    },
  };
}

function answerTo(
  { faults, worksFor, delaySeconds }: DrawnCheck,
  { wave }: CheckQuestion,
  began: Map<number, number>,
): CheckAnswer {
  const now = secondsSinceStart();
  const begun = began.get(wave) ?? now;
  began.set(wave, begun);
  const fault = faults.find((one) => isNow(one, scenarioTime()));
  if (fault !== undefined) return { verdict: fault.verdict, detail: fault.verdict };
  if (now < begun + worksFor) {
    return { verdict: 'unknown', detail: 'IN_PROGRESS', askAgainIn: delaySeconds };
  }
  return { verdict: 'pass', detail: 'SUCCEEDED' };
}
