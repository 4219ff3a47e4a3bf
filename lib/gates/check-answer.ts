import * as z from 'zod';
import type { Seconds } from '../domain/clock.ts';
import { oneLine } from '../domain/sentences.ts';
import { answer, type GateAnswer, silent } from './gate.ts';

/** What a check said. */
export interface CheckAnswer extends GateAnswer {
  /** It is at work, and wants to be asked again after so many seconds. @default - it is not at work */
  readonly askAgainIn?: Seconds;
}

/** When a check that is at work does not say how long: as in ECS. */
export const DEFAULT_DELAY: Seconds = 30;

// The words of lifecycle hooks of Amazon ECS. Further fields are theirs.
const hookAnswer = z.object({
  hookStatus: z.enum(['SUCCEEDED', 'FAILED', 'IN_PROGRESS']),
  callBackDelay: z.number().nonnegative().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
});

/**
 * What an answer of a check means. Whatever is not exactly one of the three words is no answer.
 *
 * @param said The JSON of the body, or of what a function answered. `undefined` when it was none.
 * @param how What came with it, for people: `200`.
 */
export function readHookAnswer(said: unknown, how: string): CheckAnswer {
  const parsed = hookAnswer.safeParse(said);
  if (!parsed.success) return silent(`${how}, without a hookStatus that is known`);
  const { hookStatus, callBackDelay, message } = parsed.data;
  const detail = describe(hookStatus, message ?? '');
  switch (hookStatus) {
    case 'SUCCEEDED':
    case 'FAILED':
      return answer(detail, hookStatus === 'SUCCEEDED');
    case 'IN_PROGRESS':
      return {
        ...silent(detail),
        askAgainIn: Math.max(1, Math.ceil(callBackDelay ?? DEFAULT_DELAY)),
      };
    default:
      return hookStatus satisfies never;
  }
}

/**
 * What the end of a command means: 0 is a yes, 1 a no, and 75, which is EX_TEMPFAIL of sysexits.h, says that it is at work.
 *
 * @param message The last line that it has written.
 */
export function readExitCode(code: number, message: string): CheckAnswer {
  switch (code) {
    case 0:
      return answer(describe('SUCCEEDED', message), true);
    case 1:
      return answer(describe('FAILED', message), false);
    case 75:
      return { ...silent(describe('IN_PROGRESS', message)), askAgainIn: DEFAULT_DELAY };
    default:
      return silent(`exit code ${code}, which is no answer`);
  }
}

/** A message is of a stranger, so it is one line of a record, and no more than that. */
const LONGEST_MESSAGE = 160;

function describe(hookStatus: string, message: string): string {
  const line = oneLine(message, LONGEST_MESSAGE);
  return line === '' ? hookStatus : `${hookStatus}: ${line}`;
}
