import * as z from 'zod';
import { DIRECTIONS } from '../domain/direction.ts';
import type { RolloutEvent } from '../domain/events/rollout-event.ts';
import { FAILURE_POLICIES } from '../domain/policy.ts';
import { startedByRecord } from './ledger-record.ts';

const toldBase = {
  eventId: z.string(),
  rolloutId: z.string(),
  runtimeId: z.string(),
  desiredVersion: z.number(),
  at: z.number(),
  message: z.string(),
};

/** The end is not stored: it follows from the outcome. */
export const eventRecord: z.ZodType<RolloutEvent> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('started'),
    ...toldBase,
    startedBy: startedByRecord,
    endpoints: z.number(),
    leftOut: z.number(),
    waves: z.number(),
  }),
  z.strictObject({
    kind: z.enum(['wave-started', 'wave-converged', 'approval-wanted']),
    ...toldBase,
    direction: z.enum(DIRECTIONS),
    wave: z.number(),
    waves: z.number(),
    endpoints: z.number(),
  }),
  z.strictObject({
    kind: z.literal('failing'),
    ...toldBase,
    reason: z.string(),
    onFailure: z.enum(FAILURE_POLICIES),
  }),
]);
