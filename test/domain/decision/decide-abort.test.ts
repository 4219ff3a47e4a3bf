import { describe, expect, test } from '@jest/globals';
import { decideInterruption } from '../../../lib/domain/decision/interruption.ts';
import { FAILURE_POLICIES, type FailurePolicy } from '../../../lib/domain/rollout/policy.ts';
import type { Signal } from '../../../lib/domain/rollout/record.ts';
import { line, planBackOf, planOf, progressOf, recordOf, seen, signal } from '../examples.ts';

const plan = planOf([3]);
const journal = ['web-1', 'web-2'].map((id) => line('roll', id, 'accepted'));
const progress = progressOf(0, [seen('converged', 2), seen('progressing'), seen('pending')]);

const decide = (...signals: readonly Signal[]) =>
  decideInterruption({
    record: { ...recordOf(journal, { onFailure: 'stop-old' }), signals },
    plan,
    progress,
  });

describe('an abort', () => {
  test('nobody has said anything', () => {
    expect(decide()).toBeUndefined();
  });

  test.each(['approve', 'reject'] as const)('to %s a wave is no abort', (kind) => {
    expect(decide(signal(kind))).toBeUndefined();
  });

  test('what was rolled stays as it is, whatever the policy does on a failure', () => {
    expect(decide(signal('abort'))).toEqual({
      next: 'contain',
      onFailure: 'hold',
      ending: { outcome: 'Aborted', reason: 'Aborted', message: 'Aborted by ann: not today.' },
      oldEndpoints: [1],
    });
  });

  test.each(FAILURE_POLICIES)('whoever aborts may ask for more: %s', (onFailure) => {
    expect(decide(signal('abort', { onFailure }))).toMatchObject({ onFailure });
  });

  test('the last abort counts, and one without a reason is one too', () => {
    const first = signal('abort');
    const last = signal('abort', { by: 'bob', reason: '', onFailure: 'roll-back' });
    expect(decide(first, last, signal('approve'))).toMatchObject({
      onFailure: 'roll-back',
      ending: { message: 'Aborted by bob.' },
    });
  });

  test.each<[string, boolean, readonly FailurePolicy[]]>([
    ['nobody aborts', true, []],
    ['the first abort asked for it', true, ['roll-back']],
    ['everything shall stay as it is', false, ['hold']],
    ['old endpoints shall be stopped, and on the way back none is', false, ['stop-old']],
    ['it was asked for, and is asked for no more', false, ['roll-back', 'hold']],
    ['it is asked for after all', true, ['hold', 'roll-back']],
  ])('on the way back, where %s: it goes on: %s', (_, goesOn, aborts) => {
    const cause = { outcome: 'Failed', reason: 'Stalled', message: 'No progress.' } as const;
    const signals = aborts.map((onFailure) => signal('abort', { onFailure }));
    const back = planBackOf(2);
    const record = { ...recordOf(journal), rollback: { cause, seen: [], plan: back }, signals };
    expect(decideInterruption({ record, plan: back, progress })).toEqual(
      goesOn ? undefined : { next: 'close', ending: cause },
    );
  });
});
