import fc from 'fast-check';
import { quieted, seldom } from './draw-holds.ts';
import type { DrawnCheck, Ordeal } from './ordeal.ts';
import { ownStream } from './own-stream.ts';
import { checkOf } from './to-check.ts';

// A check of the rollout's own, beside a rollout that is drawn without it.

interface CheckDraw extends DrawnCheck {
  /** The alarm is asked, too, and what it says before the rollout is ignored. */
  readonly ignoresRed: boolean;
  /** Nothing goes wrong beside it but the version, lists, writes and gates. */
  readonly isQuiet: boolean;
}

const faulty = fc.array(
  fc.record({
    verdict: fc.constantFrom('fail', 'fail', 'unknown'),
    fromSecond: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 })),
    seconds: fc.constantFrom(10, 60, 200, 3_000),
  }),
  { maxLength: 2 },
);

const check: fc.Arbitrary<CheckDraw> = fc.record({
  when: fc.constantFrom('before-rollout', 'before-wave', 'before-wave', 'bake', 'bake-end'),
  isEnforced: fc.constantFrom(true, true, true, false),
  everySeconds: fc.constantFrom(null, null, 15, 120),
  deadlineSeconds: fc.constantFrom(40, 300, 3_600),
  worksFor: fc.constantFrom(0, 0, 20, 100, 400),
  delaySeconds: fc.constantFrom(1, 5, 30, 90),
  faults: faulty,
  ignoresRed: fc.constantFrom(false, false, true),
  isQuiet: fc.constantFrom(true, true, false),
});

export const checkedBeside = ownStream(3, seldom(check));

/** Where a plan was agreed to, or the real client is under a rollout, it is left out. */
export function withCheck(ordeal: Ordeal, draw: CheckDraw | null): Ordeal {
  if (draw === null || ordeal.asked?.kind === 'plan' || ordeal.wire !== null) return ordeal;
  const { isQuiet, ignoresRed, ...check } = draw;
  const beside = isQuiet ? quieted(ordeal) : ordeal;
  const { policy } = beside;
  const verify = {
    ...policy.verify,
    ...(ignoresRed && { redAtStart: 'ignore' as const }),
    checks: [checkOf(check)],
  };
  return { ...beside, check, policy: { ...policy, verify } };
}
