import { type SignalKind, senderOf, waveOf, whyOf } from './signal-kind.ts';

/** The reason of a failure in which nobody said yes or no to a wave. */
export const APPROVAL_TIMED_OUT = 'ApprovalTimedOut';

/** What becomes of a wave that nobody answers in time, by what the policy says. */
export const AT_TIMEOUT = { approve: 'approved', reject: 'rejected' } as const;

export const APPROVE = {
  kind: 'approve',
  answer: 'pass',
  describe: (signal) => `${senderOf(signal)} approved ${waveOf(signal)}${whyOf(signal)}`,
  command: {
    description: 'Approve the wave that waits, so that the next one follows.',
    help: `
A wave waits for approval if the policy says so, after its bake and its other
gates, and only if another wave follows. With --wave you approve only the wave
that you have looked at.

Examples:
  steproll rollout approve ID
  steproll rollout approve ID --wave 1 \\
    --reason 'looked at by QA'`,
    consequence: () => 'The next wave follows.',
    sent: (signal) => `Approved ${waveOf(signal)}. The next one follows.`,
  },
} satisfies SignalKind;
