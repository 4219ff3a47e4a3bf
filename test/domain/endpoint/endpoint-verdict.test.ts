import { expect, test } from '@jest/globals';
import {
  ENDPOINT_STATES,
  type EndpointState,
  hasConverged,
  hasFailed,
  hasVanished,
  isInMidRoll,
  isLostForGood,
} from '../../../lib/domain/endpoint/observation.ts';
import { seen } from '../examples.ts';

type Verdict =
  | 'converged'
  | 'failed'
  | 'vanished'
  | 'taken-back'
  | 'superseded'
  | 'mid-roll'
  | 'untouched';

/** What one read, two and three in a row prove. */
const PROOF: Readonly<Record<EndpointState, [Verdict, Verdict, Verdict]>> = {
  pending: ['untouched', 'untouched', 'untouched'],
  requested: ['mid-roll', 'mid-roll', 'mid-roll'],
  progressing: ['mid-roll', 'mid-roll', 'mid-roll'],
  converged: ['mid-roll', 'converged', 'converged'],
  failed: ['mid-roll', 'failed', 'failed'],
  missing: ['mid-roll', 'mid-roll', 'vanished'],
  reverted: ['mid-roll', 'mid-roll', 'mid-roll'],
  'taken-back': ['taken-back', 'taken-back', 'taken-back'],
  superseded: ['superseded', 'superseded', 'superseded'],
};

const EACH = ENDPOINT_STATES.flatMap((state) =>
  [1, 2, 3].map((reads): [EndpointState, number] => [state, reads]),
);

test.each(EACH)('%s on %i reads', (state, reads) => {
  const verdict = PROOF[state][reads - 1];
  const observation = seen(state, reads);
  expect(hasConverged(observation)).toBe(verdict === 'converged');
  expect(hasFailed(observation)).toBe(verdict === 'failed');
  expect(hasVanished(observation)).toBe(verdict === 'vanished');
  expect(isInMidRoll(observation)).toBe(verdict === 'mid-roll');
  expect(isLostForGood(observation)).toBe(
    ['failed', 'vanished', 'taken-back', 'superseded'].includes(verdict ?? ''),
  );
});
