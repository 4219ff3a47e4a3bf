import { describe, expect, test } from '@jest/globals';
import { decideLateAbort } from '../../../lib/domain/decision/interruption.ts';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import type { Ending } from '../../../lib/domain/rollout/outcome.ts';
import type { FailurePolicy } from '../../../lib/domain/rollout/policy.ts';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { line, planBackOf, planOf, progressOf, recordOf, seen, signal } from '../examples.ts';

const STALLED: Ending = { outcome: 'Failed', reason: 'Stalled', message: 'No progress.' };
const plan = planOf([3]);
const rolled = ['web-1', 'web-2'].map((id) => line('roll', id, 'accepted'));
const calledOff = line('stop', 'web-2', 'kept', 'aborted');

/** The first endpoint is live on the version, the second one is not. */
function recordWith(
  aborts: readonly (FailurePolicy | undefined)[],
  stops: readonly JournalEntry[] = [],
): RolloutRecord {
  return {
    ...recordOf([...rolled, ...stops], { onFailure: 'stop-old' }),
    plan,
    progress: progressOf(0, [seen('converged', 2), seen('progressing'), seen('pending')]),
    signals: aborts.map((onFailure) => signal('abort', onFailure && { onFailure })),
  };
}

const follows = (onFailure: FailurePolicy) => ({
  next: 'contain',
  onFailure,
  ending: expect.objectContaining({ outcome: 'Aborted' }),
  oldEndpoints: [1],
});

describe('an abort that comes when it is decided how the rollout ends', () => {
  test.each<FailurePolicy>(['stop-old', 'roll-back'])('asks for %s, and it follows', (asked) => {
    expect(decideLateAbort(recordWith([asked]), STALLED)).toEqual(follows(asked));
    expect(decideLateAbort(recordWith(['hold', asked]), STALLED)).toEqual(follows(asked));
  });

  test.each<[string, readonly (FailurePolicy | undefined)[]]>([
    ['nobody aborts', []],
    ['it asks for nothing more', [undefined]],
    ['it asks that everything stays as it is', ['hold']],
    ['it is asked for no more', ['roll-back', 'hold']],
  ])('nothing follows where %s', (_, aborts) => {
    expect(decideLateAbort(recordWith(aborts), STALLED)).toBeUndefined();
    const done = { onFailure: 'stop-old', aborts: 0 } as const;
    expect(decideLateAbort(recordWith(aborts, [calledOff]), STALLED, done)).toBeUndefined();
  });

  test('more follows than was done', () => {
    const done = { onFailure: 'stop-old', aborts: 0 } as const;
    expect(decideLateAbort(recordWith(['roll-back']), STALLED, done)).toEqual(follows('roll-back'));
  });

  describe.each([0, undefined])(
    'asks for stops after stops, before which there were %s',
    (aborts) => {
      const done = { onFailure: 'stop-old', aborts } as const;

      test.each<[string, boolean, readonly JournalEntry[]]>([
        ['all of them were made', false, [line('stop', 'web-2', 'accepted')]],
        ['one was called off', true, [calledOff]],
        ['one was kept for another reason', false, [line('stop', 'web-2', 'kept', 'moved')]],
        ['nobody has noted one', true, []],
      ])('%s: they begin again: %s', (_, again, stops) => {
        const decision = decideLateAbort(recordWith(['stop-old'], stops), STALLED, done);
        expect(decision).toEqual(again ? follows('stop-old') : undefined);
      });
    },
  );

  test.each<[string, readonly JournalEntry[]]>([
    ['are called off', [calledOff]],
    ['nobody has noted', []],
  ])('stops that %s do not begin again without a new abort', (_, stops) => {
    const done = { onFailure: 'stop-old', aborts: 1 } as const;
    expect(decideLateAbort(recordWith(['stop-old'], stops), STALLED, done)).toBeUndefined();
  });

  test.each<[string, Partial<RolloutRecord>]>([
    ['there is no plan', { plan: null }],
    ['nothing was looked at', { progress: null }],
    ['it is on the way back', { rollback: { cause: STALLED, seen: [], plan: planBackOf(2) } }],
  ])('nothing follows where %s', (_, said) => {
    const record = { ...recordWith(['roll-back']), ...said };
    expect(decideLateAbort(record, STALLED)).toBeUndefined();
  });
});
