import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_POLICY } from '../../../lib/domain/defaults.ts';
import { decideRoll, type RollEvidence } from '../../../lib/domain/judge/decide-roll.ts';
import { isForeignTarget } from '../../../lib/domain/judge/observe-endpoint.ts';
import {
  isOverdue,
  NO_ROLLS,
  rollHistories,
  wasSent,
} from '../../../lib/domain/judge/roll-history.ts';
import type { JournalEntry } from '../../../lib/domain/rollout.ts';
import { isStopped } from '../../../lib/domain/status.ts';
import { endpointWith, plannedWith, rollOf, rollsOf } from '../arbitraries.ts';
import { DESIRED, endpoint, FOREIGN, live, moving, planned, rolls } from '../examples.ts';

const GOAL = { desiredVersion: DESIRED, statuses: DEFAULT_POLICY.statuses };
/** How long a roll may take to show, in milliseconds; the rolls of these examples are of time 0. */
const REGISTERING_MS = 60_000;

const decide = (said: Partial<RollEvidence>, now = 0) =>
  decideRoll(
    { planned: planned('e'), endpoint: endpoint('e'), history: NO_ROLLS, ...said },
    GOAL,
    now,
  );

const evidence: fc.Arbitrary<RollEvidence> = fc.record({
  planned: plannedWith('e'),
  endpoint: fc.option(endpointWith('e'), { nil: undefined }),
  history: rollsOf('e').map((journal) => rollHistories(journal).get('e') ?? NO_ROLLS),
});
const moment = fc.constantFrom(0, REGISTERING_MS - 1, REGISTERING_MS);

describe('decideRoll', () => {
  test.each<[string, Partial<RollEvidence>, string]>([
    ['not rolled yet', {}, 'roll'],
    [
      'H09: refused before, for now',
      { history: rolls('intended', ['rejected', 'UpstreamConflict']) },
      'roll',
    ],
    [
      'H20: refused for good',
      { history: rolls('intended', ['rejected', 'UpstreamRejected']) },
      'leave',
    ],
    ['stopped meanwhile', { endpoint: endpoint('e', { status: 'STOPPED' }) }, 'leave'],
    ['being stopped', { endpoint: endpoint('e', { status: 'stopping' }) }, 'leave'],
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

  test('A03, X04: never sends to an endpoint at the target, nor again before a roll is overdue', () => {
    fc.assert(
      fc.property(evidence, moment, (said, now) => {
        fc.pre(decideRoll(said, GOAL, now) === 'roll');
        expect(wasSent(said.history) && !isOverdue(said.history, now)).toBe(false);
        expect(said.endpoint?.targetVersion).not.toBe(DESIRED);
      }),
    );
  });

  test('invariant 12: at most two rolls that may have been carried out, whatever the answers', () => {
    fc.assert(
      fc.property(fc.array(rollOf('e'), { minLength: 10, maxLength: 10 }), (answers) => {
        const journal: JournalEntry[] = [];
        answers.forEach((lines, round) => {
          const history = rollHistories(journal).get('e') ?? NO_ROLLS;
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
        fc.pre(isForeignTarget(said.planned, read, DESIRED) || isStopped(read, GOAL.statuses));
        expect(decideRoll(said, GOAL, now)).toBe('leave');
      }),
    );
  });

  test('found rolled only what was in doubt and shows the desired target', () => {
    fc.assert(
      fc.property(evidence, moment, (said, now) => {
        fc.pre(decideRoll(said, GOAL, now) === 'found-rolled');
        expect(said.endpoint?.targetVersion).toBe(DESIRED);
        expect(said.history.last?.result).not.toBe('accepted');
        expect(wasSent(said.history)).toBe(true);
      }),
    );
  });
});
