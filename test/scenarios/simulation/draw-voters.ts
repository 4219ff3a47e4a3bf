import fc from 'fast-check';
import { errorNameOf } from '../../../lib/domain/errors.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { scenarioNow, scenarioTime } from '../../support/scenario-time.ts';
import { seldom } from './draw-holds.ts';
import type { Ordeal, Vote, Voters } from './ordeal.ts';
import { ownStream } from './own-stream.ts';

// Several people answer to waves, where the policy counts them.

const vote: fc.Arbitrary<Vote> = fc.record({
  kind: fc.constantFrom('approve', 'approve', 'approve', 'approve', 'reject'),
  person: fc.constantFrom('ann', 'bob', 'cy', 'dot'),
  after: fc.oneof(fc.integer({ min: 0, max: 150 }), fc.constant('decision' as const)),
});

const voters: fc.Arbitrary<Voters> = fc.record({
  count: fc.constantFrom(1, 2, 2, 3),
  notTheStarter: fc.boolean(),
  timeoutSeconds: fc.constantFrom(30, 120, 600),
  votes: fc.array(vote, { minLength: 1, maxLength: 6 }),
});

export const votersBeside = ownStream(6, seldom(voters));

export function withVoters(ordeal: Ordeal, drawn: Voters | null): Ordeal {
  const { policy } = ordeal;
  if (drawn === null || policy.waves.length < 2) return ordeal;
  const { count, notTheStarter, timeoutSeconds } = drawn;
  const approval = { count, notTheStarter, timeoutSeconds, onTimeout: 'reject' } as const;
  return {
    ...ordeal,
    policy: { ...policy, verify: { ...policy.verify, approval } },
    voters: drawn,
  };
}

/**
 * Each wave gets all votes, in seconds after somebody was asked, or just before its answers are read for the last time. People
 * go on voting when the process of the rollout is gone: the next one gets a ledger from the same function.
 *
 * @param said The ledger that people vote through.
 */
export function votesOf(voters: Voters | undefined, said: Ledger): (ledger: Ledger) => Ledger {
  if (voters === undefined) return (ledger) => ledger;
  const asked = new Set<number>();
  const answer = async ({ kind, person }: Vote, wave: number) => {
    const words = { kind, wave, at: scenarioNow(), by: 'somebody', reason: '' };
    await said.signal('rollout-1', { ...words, key: person }).catch((error: unknown) => {
      // Nobody asks for it any more.
      if (!REFUSED.has(errorNameOf(error))) throw error;
    });
  };
  const late = voters.votes.filter(({ after }) => after === 'decision');
  return (ledger) => ({
    ...ledger,
    async recordEvent(lease, event) {
      await ledger.recordEvent(lease, event);
      const isNew = event.kind === 'approval-wanted' && !asked.has(event.wave - 1);
      if (!isNew || lease.rolloutId !== 'rollout-1') return;
      asked.add(event.wave - 1);
      for (const vote of voters.votes) {
        if (vote.after === 'decision') continue;
        void scenarioTime()
          .sleep(vote.after * 1000 + NOT_AT_A_LOOK_MS)
          .then(() => answer(vote, event.wave - 1))
          // It has ended by then.
          .catch(() => undefined);
      }
    },
    async stopAsking(lease) {
      const wave = Math.max(...asked, 0);
      if (lease.rolloutId === 'rollout-1') for (const vote of late) await answer(vote, wave);
      return ledger.stopAsking(lease);
    },
  });
}

const REFUSED: ReadonlySet<string> = new Set(['ApprovalNotWanted', 'RolloutClosed']);
const NOT_AT_A_LOOK_MS = 271;
