import { describe, expect, test } from '@jest/globals';
import type { Ending, OutcomeKind } from '../../../lib/domain/rollout/outcome.ts';
import type { FailurePolicy } from '../../../lib/domain/rollout/policy.ts';
import { endingAsTold } from '../../../lib/domain/signals/signals.ts';
import { signal } from '../examples.ts';

const ending = (outcome: OutcomeKind): Ending => ({ outcome, reason: 'Why', message: 'It ended.' });
const heed = (outcome: OutcomeKind, ...aborts: readonly (FailurePolicy | undefined)[]) =>
  endingAsTold(ending(outcome), {
    signals: aborts.map((onFailure) => signal('abort', onFailure && { onFailure })),
    journal: [],
  });

const ABORTED = {
  outcome: 'Aborted',
  reason: 'Aborted',
  message: 'Aborted by ann: not today. It ended.',
};

describe('an abort that was accepted before the end', () => {
  test.each<[OutcomeKind, FailurePolicy]>([
    ['Succeeded', 'hold'],
    ['Succeeded', 'roll-back'],
    ['Failed', 'stop-old'],
    ['Superseded', 'hold'],
    ['Errored', 'hold'],
  ])('makes %s Aborted, asking for %s', (outcome, asked) => {
    expect(heed(outcome, asked)).toEqual(ABORTED);
  });

  test('leaves everything as it is unless it asks for more, so no error keeps it from that', () => {
    expect(heed('Errored', undefined)).toEqual(ABORTED);
  });

  test.each<[string, OutcomeKind, readonly FailurePolicy[]]>([
    ['there is none', 'Failed', []],
    ['that is why it ends', 'Aborted', ['hold']],
    ['an error kept it from going back', 'Errored', ['roll-back']],
    ['an error kept it from its stops', 'Errored', ['hold', 'stop-old']],
  ])('changes nothing where %s', (_, outcome, aborts) => {
    expect(heed(outcome, ...aborts)).toEqual(ending(outcome));
  });
});
