import * as z from 'zod';
import { instant, maybeText } from '../stored.ts';

export const hold = z.object({
  id: z.string(),
  /** One of `HOLD_KINDS`. A newer steproll may know others: they are listed, and hold nothing here. */
  kind: z.string(),
  scope: z.object({
    /** A runtime, or a group by `groupIdOf`. @default - any */
    runtimeId: maybeText,
    /** One rollout of that runtime, and those that it has started. @default - any */
    rolloutId: maybeText,
    /** Only of a quarantine: a version of that runtime. @default - any */
    version: z.number().exactOptional(),
  }),
  /** Its owner: the name of a user, or an ARN. */
  by: z.string(),
  reason: z.string(),
  at: instant,
  until: instant,
  /** Only of a quarantine: `go-back` sends back what is under way to the version. @default - it is paused */
  underWay: maybeText,
  /** Only of a quarantine that nobody has added: the rollout that failed with the version. @default - somebody has */
  after: maybeText,
  /** Who has lifted it, and why. It is kept until its end, so that people can see that. @default - nobody has */
  lifted: z.object({ by: z.string(), reason: z.string(), at: instant }).exactOptional(),
  /** Which of `HOLD_NEWS` were sent. @default - none */
  told: z.array(z.string()).exactOptional(),
});
