import { expect, test } from '@jest/globals';
import { toRolloutRow } from '../../../lib/cli/rollout/list.ts';
import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import type { RolloutSummary } from '../../../lib/domain/rollout/record.ts';
import { type Story, storyOf } from '../../../lib/telling/story/story.ts';
import { planOf, recordOf } from '../../domain/examples.ts';
import { notBegun } from '../../support/not-begun.ts';

const ended = (
  outcome: Outcome['outcome'],
  reason: string,
  failure?: Outcome['failure'],
): Outcome => ({
  outcome,
  reason,
  ...(failure !== undefined && { failure }),
  cleanup: 'none',
  message: '',
});

function listed(said: Partial<RolloutSummary> = {}) {
  const summary: RolloutSummary = {
    rolloutId: 'r',
    runtimeId: 'shop',
    desiredVersion: 3,
    policy: null,
    startedBy: { kind: 'person', name: '', at: 0 },
    wait: null,
    startedAt: 0,
    endedAt: null,
    outcome: null,
    ...said,
  };
  return { summary, isBelow: false, isAbandoned: false, story: null };
}

test.each<[Outcome | null, string]>([
  [null, 'under way'],
  [ended('Succeeded', 'Converged'), 'Succeeded'],
  [ended('Failed', 'Stalled', 'stuck'), 'Failed (stuck)'],
  [ended('Failed', 'GateFailed', 'bad'), 'Failed (bad version)'],
  [ended('Succeeded', 'NothingToDo'), 'Succeeded, nothing to do'],
  [ended('Errored', 'LeaseLost'), 'Errored (LeaseLost)'],
  [ended('Superseded', 'Overtaken'), 'Superseded (Overtaken)'],
  [ended('Aborted', 'Aborted'), 'Aborted'],
  [ended('Aborted', 'Interrupted'), 'Aborted (Interrupted)'],
])('the row of a rollout with %j says %s', (outcome, text) => {
  const startedBy = { kind: 'schedule', name: 'nightly', at: 0 } as const;
  const endedAt = outcome === null ? null : 126_000;
  const row = toRolloutRow(listed({ startedBy, startedAt: 1_000, endedAt, outcome }), 181_000, 80);
  // Where a terminal is narrow, what stands last is left out first.
  expect(Object.keys(row).slice(0, 2)).toEqual(['id', 'outcome']);
  expect(row).toEqual({
    id: 'r',
    runtime: 'shop',
    version: 3,
    started: '3 min ago',
    outcome: text,
    took: outcome === null ? null : '2 min 5 s',
    'started by': 'schedule nightly',
  });
});

test.each([
  ['the latest version, which nobody knows yet', {}, 'latest'],
  ['the version of an endpoint, which nobody knows yet', { versionFrom: 'staging' }, null],
])('the row of a rollout to %s says so', (_, from, version) => {
  const { wait } = notBegun(0, { for: 'version' });
  const row = toRolloutRow(listed({ desiredVersion: null, ...from, wait }), 0, 80);
  expect(row).toMatchObject({ version, outcome: 'waits for the version' });
});

test('a rollout that rolls what it has rolled back to the versions before says so', () => {
  const { wait } = notBegun(0, { for: 'roll' });
  const record = recordOf();
  const rollback = { plan: planOf([3]), kept: [] } as never;
  const rowOf = (story: Story) => toRolloutRow({ ...listed({ wait }), story }, 0, 80).outcome;
  expect(rowOf(storyOf(record, 0))).toBe('rolling');
  expect(rowOf({ ...storyOf(record, 0), record: { ...record, rollback } })).toBe('rolling back');
});

test('a rollout whose process seems to be dead is not under way', () => {
  const dead = { ...listed(), isAbandoned: true };
  expect(toRolloutRow(dead, 0, 80).outcome).toBe('process seems dead');
});

test('a release with a long name leaves room for the rest', () => {
  const name = '4108fa97-ee75-4568-a063-6d63f16f2168';
  const released = listed({ startedBy: { kind: 'release', name, at: 0 } });
  expect(toRolloutRow(released, 0, 80)['started by']).toBe('release 4108fa97-ee75-4568-…');
  // For a program it is whole.
  expect(toRolloutRow(released, 0, Number.POSITIVE_INFINITY)['started by']).not.toContain('…');
});
