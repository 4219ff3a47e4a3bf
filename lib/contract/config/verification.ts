import * as z from 'zod';
import { countsPeople, RED_AT_START } from '../../domain/rollout/policy.ts';
import { EVERY_SECONDS } from '../../domain/wave/gate-watch.ts';
import { GATE_SCHEMAS } from '../../gates/gates.ts';
import { checkAlways, seconds } from '../input/checks.ts';

/** Whoever needs more has another process than this. */
const MOST_APPROVALS = 10;

/** What `verify` says besides what each gate is asked. */
export const besideGates = {
  everySeconds: z
    .int()
    .min(15)
    .max(3_600)
    .default(EVERY_SECONDS)
    .describe('How often the gates are asked, from the convergence of a wave on.'),
  warmUpSeconds: z
    .int()
    .min(0)
    .max(604_800)
    .default(0)
    .describe(
      'For how long after its convergence no gate ends a wave; at most as long as the shortest bake.',
    ),
  approval: z
    .strictObject({
      timeoutSeconds: seconds
        .min(1)
        .describe('How long to wait for an answer, from when somebody was asked.'),
      onTimeout: z
        .enum(['approve', 'reject'])
        .default('reject')
        .describe('What happens when nobody answers in time.'),
      count: z
        .int()
        .min(1)
        .max(MOST_APPROVALS)
        .optional()
        .describe('How many people have to say yes; one no rejects. Default: 1.'),
      notTheStarter: z
        .boolean()
        .optional()
        .describe(
          'Whether the yes of the person who started the rollout does not count. As long as nobody can prove who that was, one yes more is needed. Default: false.',
        ),
    })
    .check(
      checkAlways((value, report) => {
        if (value.onTimeout !== 'approve' || !countsPeople(value)) return;
        const message = 'use "reject": silence is nobody\'s yes where people are counted';
        report(['onTimeout'], value.onTimeout, message);
      }),
    )
    .nullable()
    .default(null)
    .describe('A person has to say yes.'),
  redAtStart: z
    .enum(RED_AT_START)
    .optional()
    .describe(
      'What happens when an alarm, or a metric without {endpoint}, says no before anything is rolled. refuse: nothing is rolled; ignore: its no counts once it was green, and at the end of a bake. Default: refuse.',
    ),
};

export const verification = z.strictObject({ ...GATE_SCHEMAS, ...besideGates });

/** What `verify` says when it says nothing. */
export const NO_GATES = verification.parse({});
