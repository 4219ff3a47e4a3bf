import * as z from 'zod';
import { loggedHold } from '../rollout/stored.ts';
import { instant, maybeText } from '../stored.ts';

export const hold = loggedHold.extend({
  at: instant,
  /** Only of a quarantine: `go-back` sends back what is under way to the version. @default - it is paused */
  underWay: maybeText,
  /** Only of a quarantine that nobody has added: the rollout that failed with the version. @default - somebody has */
  after: maybeText,
  /** Who has lifted it, and why. It is kept for a while, as `pastHolds` says, so that people can see that. @default - nobody has */
  lifted: z.object({ by: z.string(), reason: z.string(), at: instant }).exactOptional(),
  /** What was sent of it, as `noteOf` in `news.ts` calls that. @default - nothing */
  told: z.array(z.string()).exactOptional(),
});
