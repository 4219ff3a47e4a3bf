import { describe, expect, test } from '@jest/globals';
import { describeHold, type Hold } from '../../../lib/domain/holds/hold.ts';
import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import type { RolloutSummary } from '../../../lib/domain/rollout/record.ts';
import { toSummary } from '../../../lib/ledger/record.ts';
import { storyOf } from '../../../lib/telling/story/story.ts';
import { describeReport, reportOf, tellReport } from '../../../lib/telling/words/report.ts';
import { planOf, progressOf, recordOf, seen, waitFor } from '../../domain/examples.ts';
import { notBegun } from '../../support/not-begun.ts';

const HOUR_MS = 3_600_000;
const SINCE = Date.UTC(2026, 10, 28, 22);
const NOW = SINCE + 3 * HOUR_MS;

function ended(
  rolloutId: string,
  outcome: Outcome['outcome'],
  endedAt: number,
  said: Partial<RolloutSummary> = {},
): RolloutSummary {
  const end = { outcome, cleanup: 'none', reason: 'Because', message: 'So it ended.' } as const;
  return { ...toSummary(recordOf()), rolloutId, startedAt: SINCE, endedAt, outcome: end, ...said };
}

const HOLD: Hold = {
  ...{ id: 'h1', kind: 'freeze', scope: {}, by: 'ann', reason: 'patching', at: SINCE + HOUR_MS },
  until: NOW + HOUR_MS,
};

const baking = storyOf(
  {
    ...recordOf(),
    plan: planOf([1, 1]),
    progress: progressOf(0, [seen('converged', 2)]),
    wait: waitFor('bake', { until: NOW + HOUR_MS, lookAt: NOW + HOUR_MS }),
  },
  NOW,
);

const NOTHING = { since: SINCE, now: NOW, newest: [], isCut: false, open: [], holds: [] };
const told = (known: Partial<Parameters<typeof reportOf>[0]>) =>
  describeReport(tellReport(reportOf({ ...NOTHING, ...known }, null)));

describe('a report', () => {
  test('says once what holds a rollout that has not begun', () => {
    const of = describeHold(HOLD);
    const held = storyOf({ ...recordOf(), ...notBegun(NOW, { for: 'hold', of }) }, NOW);
    const lines = told({ open: [held], holds: [HOLD] });
    const line = lines.find((one) => one.startsWith('- ') && one.includes('Held by')) ?? '';
    expect(line.split('Held by')).toHaveLength(2);
    expect(line).not.toContain('..');
  });

  test('says first how much there is, and then what needs somebody before what went well', () => {
    const lines = told({
      newest: [
        ended('fine', 'Succeeded', SINCE + 2 * HOUR_MS),
        ended('bad', 'Failed', SINCE + HOUR_MS, {
          startedBy: { kind: 'person', name: 'bo', at: 0 },
        }),
        ended('before', 'Failed', SINCE - 1),
      ],
      open: [baking],
      holds: [HOLD],
    });
    expect(lines[0]).toBe(
      'Since 2026-11-28 22:00Z, as of 2026-11-29 01:00Z: 1 failed, 1 succeeded, 1 under way.',
    );
    expect(lines.filter((line) => line.endsWith(':'))).toEqual([
      'Under way:',
      'Held:',
      'Failed:',
      'Succeeded:',
    ]);
    expect(lines.join('\n')).toMatch(/^- .* to version 3 \(rollout-1\): Wave 1 of 2: baking\./m);
    expect(lines).toContainEqual(
      expect.stringMatching(/^- 2026-11-28 23:00:00Z .* \(bad\), by bo: So it ended\.$/),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^- 00:00:00Z .* \(fine\), took 2 h, by /));
    expect(lines.join()).not.toContain('before');
  });

  test('tells of a hold until when it is, or who has lifted it', () => {
    const lifted = { by: 'bo', reason: 'done', at: SINCE + 2 * HOUR_MS };
    const [, , ...lines] = told({ holds: [HOLD, { ...HOLD, id: 'h2', lifted }] });
    expect(lines).toEqual([
      'Held:',
      '- freeze of everything (h1), from 2026-11-28 23:00:00Z by ann: patching; until 2026-11-29 02:00Z',
      '- freeze of everything (h2), from 2026-11-28 23:00:00Z by ann: patching; lifted at 00:00:00Z by bo: done',
    ]);
    expect(told({ holds: [{ ...HOLD, lifted: { ...lifted, at: SINCE - 1 } }] })).toHaveLength(1);
  });

  test('names no runtime of a group that went well with it', () => {
    const group = ended('group', 'Succeeded', SINCE + 2, { runtimeId: 'group:prod' });
    const child = ended('child', 'Succeeded', SINCE + 1, { parent: 'group' });
    const other = ended('other', 'Failed', SINCE + 1, { parent: 'group' });
    const lines = told({ newest: [group, child, other] }).join('\n');
    expect(lines).toContain('1 failed, 1 succeeded.');
    expect(lines).not.toContain('(child)');
  });

  test('says when it may lack something, and that nothing happened', () => {
    expect(told({})).toEqual(['Since 2026-11-28 22:00Z, as of 2026-11-29 01:00Z: no rollout.']);
    const newest = [ended('one', 'Failed', NOW)];
    expect(told({ newest, isCut: true })).toContain(
      'Only the newest rollouts were looked through: more may have ended.',
    );
    const old = ended('old', 'Failed', SINCE - 1, { startedAt: SINCE - 2 });
    expect(told({ newest: [...newest, old], isCut: true }).join()).not.toContain('Only');
  });

  test('has nothing that a terminal obeys', () => {
    const lines = told({ newest: [ended('one', 'Failed', NOW, { runtimeId: 'shop\u001b[2J' })] });
    expect(lines.join()).not.toContain('\u001b');
  });
});
