import { describe, expect, test } from '@jest/globals';
import { WRITE_OPERATIONS, type WriteOperation } from '../../../lib/domain/endpoint/journal.ts';
import type { FailurePolicy } from '../../../lib/domain/rollout/policy.ts';
import type { Signal } from '../../../lib/domain/rollout/record.ts';
import { mayWrite } from '../../../lib/domain/signals/signals.ts';
import { signal } from '../examples.ts';

const abort = (onFailure?: FailurePolicy) => signal('abort', onFailure && { onFailure });
const giveWay = signal('give-way');

describe('what a rollout may still write', () => {
  test.each<[string, readonly WriteOperation[], readonly Signal[]]>([
    ['nothing', ['roll', 'roll-back', 'stop'], []],
    ['yes and no to waves', ['roll', 'roll-back', 'stop'], [signal('approve'), signal('reject')]],
    ['an abort', [], [abort()]],
    ['an abort that holds', [], [abort('hold')]],
    ['an abort that stops', ['stop'], [abort('stop-old')]],
    ['an abort that rolls back', ['roll-back'], [abort('roll-back')]],
    ['another word after a first abort', [], [abort('roll-back'), abort('hold')]],
    ['more after a first abort', ['roll-back'], [abort('hold'), abort('roll-back')]],
    ['that a newer rollout waits', ['roll-back'], [giveWay]],
    ['that a newer rollout waits, and an abort', ['stop'], [abort('stop-old'), giveWay]],
  ])('when it was told %s: %j', (_, allowed, signals) => {
    expect(WRITE_OPERATIONS.filter((operation) => mayWrite(operation, signals))).toEqual(allowed);
  });
});
