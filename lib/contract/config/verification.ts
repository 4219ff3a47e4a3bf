import * as z from 'zod';
import { GATE_SCHEMAS } from '../../gates/gates.ts';
import { seconds } from '../parsing/checks.ts';

export const approval = z
  .strictObject({
    timeoutSeconds: seconds
      .min(1)
      .describe('How long to wait for an answer, from when somebody was asked.'),
    onTimeout: z
      .enum(['approve', 'reject'])
      .default('reject')
      .describe('What happens when nobody answers in time.'),
  })
  .nullable()
  .default(null)
  .describe('A person has to say yes.');

/** What is checked after the bake. */
export const verification = z.strictObject({ ...GATE_SCHEMAS, approval });

/** What `verify` says of the gates when it says nothing. */
export const NO_GATES = z.object(GATE_SCHEMAS).parse({});
