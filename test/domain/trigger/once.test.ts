import { describe, expect, test } from '@jest/globals';
import type { OutcomeKind } from '../../../lib/domain/rollout/outcome.ts';
import { isStillTaken, ONCE_MS, releaseOf } from '../../../lib/domain/trigger/once.ts';
import type { Trigger } from '../../../lib/domain/trigger/trigger.ts';

const TAKEN_AT = Date.parse('2026-12-01T03:00:00Z');
const ENDED_AT = TAKEN_AT + 600_000;

function endedAs(outcome: OutcomeKind) {
  const ending = { outcome, cleanup: 'none', reason: 'any', message: 'any' } as const;
  return { outcome: ending, endedAt: ENDED_AT };
}

describe('a release that was taken', () => {
  test.each([
    ['Succeeded', true],
    ['Superseded', true],
    ['Aborted', true],
    ['Failed', false],
    ['Errored', false],
  ] as const)('and ended as %s: an event after that finds it taken: %s', (kind, isTaken) => {
    const later = ENDED_AT + 1;
    expect(isStillTaken(TAKEN_AT, later, endedAs(kind), later)).toBe(isTaken);
  });

  test('is taken while its rollout is under way, or was not recorded yet', () => {
    const later = TAKEN_AT + 1;
    expect(isStillTaken(TAKEN_AT, later, { outcome: null, endedAt: null }, later)).toBe(true);
    expect(isStillTaken(TAKEN_AT, later, null, later)).toBe(true);
  });

  test('is free again after 24 hours, whatever became of it', () => {
    const succeeded = endedAs('Succeeded');
    const before = TAKEN_AT + ONCE_MS - 1;
    expect(isStillTaken(TAKEN_AT, before, succeeded, before)).toBe(true);
    expect(isStillTaken(TAKEN_AT, before + 1, succeeded, before + 1)).toBe(false);
    expect(isStillTaken(TAKEN_AT, before + 1, null, before + 1)).toBe(false);
  });

  test('E01: an event that was sent before the failure asks for nothing new, however late it comes', () => {
    const failed = endedAs('Failed');
    const late = ENDED_AT + 60_000;
    expect(isStillTaken(TAKEN_AT, ENDED_AT - 1_000, failed, late)).toBe(true);
    // EventBridge cuts off the part of the second.
    expect(isStillTaken(TAKEN_AT, ENDED_AT - 999, failed, late)).toBe(false);
  });
});

describe('the same release', () => {
  const build = trigger({});
  test.each<[string, Partial<Trigger>, boolean]>([
    ['another event', { key: 'other', at: 1, name: 'other' }, true],
    ['another id', { releaseId: 'build-42' }, false],
    ['another runtime', { runtimeId: 'cart' }, false],
    ['another version', { wanted: { version: 8 } }, false],
    ['the version of an endpoint', { wanted: { versionFrom: { endpoint: 'v' } } }, false],
    ['the latest version', { wanted: { version: 'latest' } }, false],
  ])('%s: %j is %s', (_, other, isSame) => {
    expect(releaseOf(trigger(other)) === releaseOf(build)).toBe(isSame);
  });

  test('nobody can say it of a schedule, or where no id is known', () => {
    expect(releaseOf(trigger({ kind: 'schedule' }))).toBeNull();
    const { releaseId: _, ...nameless } = build;
    expect(releaseOf(nameless)).toBeNull();
  });
});

function trigger(said: Partial<Trigger>): Trigger {
  return {
    ...{ kind: 'release', key: 'event-1', at: TAKEN_AT, name: 'build-41', releaseId: 'build-41' },
    ...{ windowMs: 0, runtimeId: 'shop', wanted: { version: 7 } },
    ...said,
  };
}
