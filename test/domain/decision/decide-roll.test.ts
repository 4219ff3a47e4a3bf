import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decideRoll, type RollEvidence } from '../../../lib/domain/decision/next-rolls.ts';
import { NO_ATTEMPTS } from '../../../lib/domain/endpoint/attempts.ts';
import { isFailed, isStopped } from '../../../lib/domain/endpoint/endpoint.ts';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import { isForeign } from '../../../lib/domain/endpoint/observe-endpoint.ts';
import { isOverdue, rollHistories, wasSent } from '../../../lib/domain/endpoint/rolls.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import { endpointWith, plannedWith, rollOf, rollsOf } from '../arbitraries.ts';
import {
  DESIRED,
  endpoint,
  FOREIGN,
  live,
  moving,
  PREVIOUS,
  planned,
  plannedBack,
  rolls,
  tries,
} from '../examples.ts';

const { statuses } = DEFAULT_POLICY;
/** How long a roll may take to show, in milliseconds; the rolls of these examples are of time 0. */
const REGISTERING_MS = 60_000;

const ON_ITS_WAY = {
  planned: planned('e', { previousTarget: FOREIGN }),
  endpoint: endpoint('e', { targetVersion: FOREIGN }),
};
const FAILED_ON_ITS_WAY = {
  ...ON_ITS_WAY,
  endpoint: endpoint('e', { targetVersion: FOREIGN, status: 'UPDATE_FAILED' }),
};

const UNMARKED = { isBroken: false, isMoving: false };

const decide = (said: Partial<RollEvidence>, now = 0) =>
  decideRoll(
    { planned: planned('e'), endpoint: endpoint('e'), history: NO_ATTEMPTS, ...UNMARKED, ...said },
    statuses,
    now,
  );

const evidence: fc.Arbitrary<RollEvidence> = fc.record({
  planned: plannedWith('e'),
  endpoint: fc.option(endpointWith('e'), { nil: undefined }),
  history: rollsOf('e').map((journal) => rollHistories(journal, 'forward').get('e') ?? NO_ATTEMPTS),
  isBroken: fc.boolean(),
  isMoving: fc.boolean(),
});
const moment = fc.constantFrom(0, REGISTERING_MS - 1, REGISTERING_MS);

describe('decideRoll', () => {
  test.each<[string, Partial<RollEvidence>, string]>([
    ['not rolled yet', {}, 'roll'],
    [
      'H09: refused for now, just before',
      { history: rolls('intended', ['rejected', 'UpstreamConflict']) },
      'leave',
    ],
    [
      'H20: refused for good',
      { history: rolls('intended', ['rejected', 'UpstreamRejected']) },
      'leave',
    ],
    [
      'H11: in doubt, and carried out only once',
      { history: tries('1 intended', '1 unknown') },
      'roll',
    ],
    [
      'H11: the same, and it shows',
      { history: tries('1 intended', '1 unknown'), endpoint: moving('e') },
      'found-rolled',
    ],
    [
      'the same, and somebody else has moved it',
      { history: tries('1 intended'), endpoint: endpoint('e', { targetVersion: FOREIGN }) },
      'leave',
    ],
    [
      'H09: refused while it is on its way to where it was before, and still so',
      {
        planned: planned('e', { previousTarget: FOREIGN }),
        endpoint: endpoint('e', { targetVersion: FOREIGN }),
        history: rolls('intended', ['rejected', 'UpstreamConflict']),
      },
      'leave',
    ],
    [
      'H09: refused because of a conflict, while it is being created',
      {
        planned: planned('e', { previousVersion: null }),
        endpoint: endpoint('e', { liveVersion: null }),
        history: rolls('intended', ['rejected', 'UpstreamConflict']),
      },
      'leave',
    ],
    [
      'the same, refused for another reason',
      {
        planned: planned('e', { previousTarget: FOREIGN }),
        endpoint: endpoint('e', { targetVersion: FOREIGN }),
        history: rolls('intended', ['rejected', 'UpstreamThrottled']),
      },
      'roll',
    ],
    ['stopped meanwhile', { endpoint: endpoint('e', { status: 'STOPPED' }) }, 'leave'],
    ['being stopped', { endpoint: endpoint('e', { status: 'stopping' }) }, 'leave'],
    [
      'chosen as broken, and broken',
      { isBroken: true, endpoint: endpoint('e', { status: 'ERROR' }) },
      'roll',
    ],
    ['chosen as broken, and recovered meanwhile', { isBroken: true }, 'leave'],
    [
      'chosen as on its way, and on its way',
      {
        isMoving: true,
        planned: planned('e', { previousTarget: FOREIGN }),
        endpoint: endpoint('e', { targetVersion: FOREIGN }),
      },
      'roll',
    ],
    ['chosen as on its way, and at rest meanwhile', { isMoving: true }, 'leave'],
    ['failed is no reason not to', { endpoint: endpoint('e', { status: 'ERROR' }) }, 'roll'],
    ['not sent before', { history: rolls('intended', 'not-sent') }, 'roll'],
    [
      'H23: a target that is not known',
      { endpoint: endpoint('e', { targetVersion: null }) },
      'roll',
    ],
    ['H19: not in the list', { endpoint: undefined }, 'leave'],
    ['there already', { endpoint: live('e') }, 'leave'],
    ['on its way already, by others', { endpoint: moving('e') }, 'leave'],
    [
      'H09: refused because it is on its way',
      { endpoint: moving('e'), history: rolls('rejected') },
      'leave',
    ],
    ['accepted, the target does not show it yet', { history: rolls('accepted') }, 'leave'],
    ['accepted, and it shows', { endpoint: moving('e'), history: rolls('accepted') }, 'leave'],
    ['H11: no answer, the target does not show it', { history: rolls('unknown') }, 'leave'],
    [
      'A01: died around the write, the target does not show it',
      { history: rolls('intended') },
      'leave',
    ],
    [
      'A03: no answer, and it shows',
      { endpoint: moving('e'), history: rolls('unknown') },
      'found-rolled',
    ],
    [
      'X04: died after the write',
      { endpoint: moving('e'), history: rolls('intended') },
      'found-rolled',
    ],
    [
      'X06: somebody else moved it',
      { endpoint: endpoint('e', { targetVersion: FOREIGN }) },
      'leave',
    ],
    [
      'X06: somebody else moved it after our roll',
      { endpoint: endpoint('e', { targetVersion: FOREIGN }), history: rolls('unknown') },
      'leave',
    ],
    [
      'it was on its way elsewhere before the rollout began',
      {
        planned: planned('e', { previousTarget: FOREIGN }),
        endpoint: endpoint('e', { targetVersion: FOREIGN }),
      },
      'roll',
    ],
  ])('%s', (_, said, decision) => {
    expect(decide(said)).toBe(decision);
  });

  test.each<[string, Partial<RollEvidence>, number, number]>([
    ['once, at rest', {}, 1, 1],
    ['three times, at rest', {}, 3, 4],
    ['seven times, at rest', {}, 7, 60],
    ['fifty times, at rest', {}, 50, 60],
    ['once, with a busy status', { endpoint: endpoint('e', { status: 'updating' }) }, 1, 60],
    ['once, on its way', ON_ITS_WAY, 1, 60],
    ['once, come to rest with a failed status', FAILED_ON_ITS_WAY, 1, 1],
  ])('refused for now, %s: asked again after that time', (_, said, times, seconds) => {
    const refusals = Array.from({ length: times }, (): ['rejected', string] => [
      'rejected',
      'UpstreamConflict',
    ]);
    const history = rolls(...refusals);
    expect(decide({ ...said, history }, seconds * 1_000 - 1)).toBe('leave');
    expect(decide({ ...said, history }, seconds * 1_000)).toBe('roll');
  });

  test('refused for now, with a time to ask again: not before, and five minutes at most', () => {
    const refused = rolls(['rejected', 'UpstreamConflict']);
    const asked = (seconds: number) => ({
      ...refused,
      last: { ...(refused.last as JournalEntry), retryAt: seconds * 1_000 },
    });
    expect(decide({ history: asked(90) }, 89_999)).toBe('leave');
    expect(decide({ history: asked(90) }, 90_000)).toBe('roll');
    expect(decide({ history: asked(9_000) }, 300_000)).toBe('roll');
  });

  const failing = moving('e', { status: 'UPDATE_FAILED' });

  test.each<[string, Partial<RollEvidence>, string]>([
    ['is rolled, for it would hang there', { endpoint: failing }, 'roll'],
    ['also where the version is live', { endpoint: live('e', { status: 'ERROR' }) }, 'roll'],
    ['but not once it heals', { endpoint: moving('e') }, 'leave'],
    ['nor when it failed only now', { planned: planned('e'), endpoint: failing }, 'leave'],
    ['again after a roll that was not sent', { history: rolls('intended', 'not-sent') }, 'roll'],
    ['once: accepted', { history: rolls('intended', 'accepted') }, 'leave'],
    ['once: no answer', { history: rolls('intended', 'unknown') }, 'found-rolled'],
    ['not when it is stopped', { endpoint: moving('e', { status: 'STOPPED' }) }, 'leave'],
  ])('failed at the target before the rollout: %s', (_, said, decision) => {
    const stranded = { planned: planned('e', { wrongBefore: ['failed'] }), endpoint: failing };
    expect(decide({ ...stranded, ...said }, 10 * REGISTERING_MS)).toBe(decision);
  });

  test.each<[string, Partial<RollEvidence>, string]>([
    ['on the new version', { endpoint: live('e') }, 'roll'],
    ['on its way to the new version', { endpoint: moving('e') }, 'roll'],
    ['broken on its way', { endpoint: moving('e', { status: 'UPDATE_FAILED' }) }, 'roll'],
    ['back already', { endpoint: endpoint('e') }, 'leave'],
    ['X05: on its way back already', { endpoint: live('e', { targetVersion: PREVIOUS }) }, 'leave'],
    [
      'X05: on its way back after we died around the write',
      { endpoint: live('e', { targetVersion: PREVIOUS }), history: rolls('intended') },
      'found-rolled',
    ],
    ['X06: moved by somebody else', { endpoint: live('e', { targetVersion: FOREIGN }) }, 'leave'],
    ['stopped', { endpoint: live('e', { status: 'STOPPED' }) }, 'leave'],
    [
      'failed, and the service took back its target',
      {
        planned: plannedBack('e', { leftAs: 'broken' }),
        endpoint: endpoint('e', { status: 'UPDATE_FAILED' }),
      },
      'roll',
    ],
    [
      'the same, and the service refuses to roll it',
      {
        planned: plannedBack('e', { leftAs: 'broken' }),
        endpoint: endpoint('e', { status: 'UPDATE_FAILED' }),
        history: rolls('intended', ['rejected', 'UpstreamRejected']),
      },
      'leave',
    ],
  ])('on the way back: %s', (_, said, decision) => {
    expect(decide({ planned: plannedBack('e'), ...said })).toBe(decision);
  });

  test.each<[string, Partial<RollEvidence>]>([
    ['H08: accepted', { history: rolls('intended', 'accepted') }],
    ['H11: no answer', { history: rolls('intended', 'unknown') }],
    ['A01: died around the write', { history: rolls('intended') }],
  ])('a roll that does not show after a minute is sent once more: %s', (_, said) => {
    expect(decide(said, REGISTERING_MS - 1)).toBe('leave');
    expect(decide(said, REGISTERING_MS)).toBe('roll');
  });

  test.each<[string, Partial<RollEvidence>, string]>([
    ['it was sent twice', { history: rolls('intended', 'accepted', 'intended') }, 'leave'],
    ['it shows', { endpoint: moving('e'), history: rolls('intended', 'accepted') }, 'leave'],
    [
      'A03: it shows, and nothing was heard of it',
      { endpoint: moving('e'), history: rolls('intended', 'unknown') },
      'found-rolled',
    ],
    [
      'X06: somebody else moved it',
      { endpoint: endpoint('e', { targetVersion: FOREIGN }), history: rolls('intended') },
      'leave',
    ],
    [
      'it was stopped',
      { endpoint: endpoint('e', { status: 'STOPPED' }), history: rolls('intended', 'accepted') },
      'leave',
    ],
  ])('but not when %s', (_, said, decision) => {
    expect(decide(said, 10 * REGISTERING_MS)).toBe(decision);
  });

  test('A03, X04: never sends to an endpoint at the target that has not failed before, nor again too soon', () => {
    fc.assert(
      fc.property(evidence, moment, (said, now) => {
        fc.pre(decideRoll(said, statuses, now) === 'roll');
        expect(wasSent(said.history) && !isOverdue(said.history, now)).toBe(false);
        if (said.endpoint?.targetVersion !== DESIRED) return;
        expect(
          said.planned.wrongBefore.includes('failed') && isFailed(said.endpoint, statuses),
        ).toBe(true);
        expect(wasSent(said.history)).toBe(false);
      }),
    );
  });

  test('invariant 12: at most two rolls that may have been carried out, whatever the answers', () => {
    fc.assert(
      fc.property(fc.array(rollOf('e'), { minLength: 10, maxLength: 10 }), (answers) => {
        const journal: JournalEntry[] = [];
        answers.forEach((lines, round) => {
          const history = rollHistories(journal, 'forward').get('e') ?? NO_ATTEMPTS;
          if (decide({ history }, round * REGISTERING_MS) === 'roll') journal.push(...lines);
        });
        const count = (...wanted: string[]) =>
          journal.filter(({ result }) => wanted.includes(result)).length;
        expect(count('intended') - count('rejected', 'not-sent')).toBeLessThanOrEqual(2);
      }),
      { numRuns: 500 },
    );
  });

  test('H23: a target that is not known is no sign of a lost roll', () => {
    const unknownTarget = endpoint('e', { targetVersion: null });
    const history = rolls('intended', 'accepted');
    expect(decide({ endpoint: unknownTarget, history }, 6_000_000)).toBe('leave');
  });

  test('invariant 10: a foreign target and a stopped endpoint are left alone', () => {
    fc.assert(
      fc.property(evidence, moment, (said, now) => {
        const { endpoint: read } = said;
        fc.pre(read !== undefined);
        fc.pre(isForeign(said.planned, read) || isStopped(read, statuses));
        expect(decideRoll(said, statuses, now)).toBe('leave');
      }),
    );
  });

  test('X06: never takes an endpoint below what it shows, unless the plan knew that', () => {
    fc.assert(
      fc.property(evidence, moment, (said, now) => {
        const { planned: known, endpoint: read } = said;
        const shown = [read?.liveVersion ?? 0, read?.targetVersion ?? 0];
        fc.pre(decideRoll(said, statuses, now) === 'roll');
        for (const higher of shown.filter((each) => each > known.desiredVersion)) {
          expect([known.previousVersion, known.previousTarget]).toContain(higher);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('found rolled only what was in doubt and shows the desired target', () => {
    fc.assert(
      fc.property(evidence, moment, (said, now) => {
        fc.pre(decideRoll(said, statuses, now) === 'found-rolled');
        expect(said.endpoint?.targetVersion).toBe(DESIRED);
        expect(said.endpoint?.liveVersion).not.toBe(DESIRED);
        expect(said.history.last?.result).not.toBe('accepted');
        expect(wasSent(said.history)).toBe(true);
      }),
      { numRuns: 20, maxSkipsPerRun: 2000 },
    );
  });
});
