import * as z from 'zod';
import { WAITS, type Waiting } from '../../domain/rollout/waiting.ts';
import { time, toTime } from './event.ts';

/** What a rollout that has not begun waits for, in the form for programs. */
export const waitingReportSchema = z
  .strictObject({
    for: z
      .enum(WAITS)
      .describe(
        'start: it was accepted just now; window: a deployment window; turn: another rollout of the runtime; gate: a gate is red, or has yet to say yes; version: the version is being made; list: the list of endpoints.',
      ),
    message: z.string().describe('A sentence for people.'),
    wakesAt: time.describe('When somebody looks at it again.'),
    until: time.nullable().describe('When it begins, or has waited too long. null: not known.'),
  })
  .nullable()
  .describe('What it waits for before it can begin. null: nothing.');

export function toWaitingReport(waiting: Waiting | null): z.input<typeof waitingReportSchema> {
  if (waiting === null) return null;
  const { message, wakesAt, until } = waiting;
  return {
    for: waiting.for,
    message,
    wakesAt: toTime(wakesAt),
    until: until === null ? null : toTime(until),
  };
}
