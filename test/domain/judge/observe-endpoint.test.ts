import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_POLICY } from '../../../lib/domain/defaults.ts';
import type { Endpoint } from '../../../lib/domain/endpoint.ts';
import {
  type Evidence,
  isForeignTarget,
  observeEndpoint,
} from '../../../lib/domain/judge/observe-endpoint.ts';
import { NO_ROLLS, rollHistories } from '../../../lib/domain/judge/roll-history.ts';
import type { Observation, PlannedEndpoint } from '../../../lib/domain/rollout.ts';
import { endpointWith, observation, plannedWith, rollsOf } from '../arbitraries.ts';
import { DESIRED, endpoint, FOREIGN, live, moving, planned, rolls } from '../examples.ts';

const GOAL = { desiredVersion: DESIRED, statuses: DEFAULT_POLICY.statuses };
const ROLLED = rolls('intended', 'accepted');

/** One read of an endpoint that this rollout rolled, unless the evidence says otherwise. */
function observe(said: Partial<Evidence>): Observation {
  return observeEndpoint(
    { planned: planned('e'), endpoint: moving('e'), history: ROLLED, before: undefined, ...said },
    GOAL,
  );
}

/** The states that reads one after the other make of an endpoint that this rollout rolled. */
function statesOf(
  reads: readonly (Endpoint | undefined)[],
  said: Partial<PlannedEndpoint> = {},
): string[] {
  let before: Observation | undefined;
  return reads.map((read) => {
    before = observe({ planned: planned('e', said), endpoint: read, before });
    return `${before.state} ${before.reads}`;
  });
}

const back = endpoint('e');
const unknownTarget = endpoint('e', { targetVersion: null });
const stillLive = (said: Partial<Endpoint>) => live('e', said);

describe('one read', () => {
  test.each<[string, Partial<Evidence>, string]>([
    ['not rolled yet', { endpoint: back, history: NO_ROLLS }, 'pending'],
    ['the roll was not sent', { endpoint: back, history: rolls('not-sent') }, 'pending'],
    ['accepted, not visible yet', { endpoint: back }, 'requested'],
    ['H11: no answer, not visible', { endpoint: back, history: rolls('unknown') }, 'requested'],
    ['A01: died around the write', { endpoint: back, history: rolls('intended') }, 'requested'],
    ['on its way', {}, 'progressing'],
    ['on its way, by others', { history: NO_ROLLS }, 'progressing'],
    ['there', { endpoint: live('e') }, 'converged'],
    ['there, by others', { endpoint: live('e'), history: NO_ROLLS }, 'converged'],
    ['H33: unknown status', { endpoint: stillLive({ status: 'ZOMBIE' }) }, 'converged'],
    [
      'H33: unknown status on its way',
      { endpoint: moving('e', { status: 'ZOMBIE' }) },
      'progressing',
    ],
    ['no status', { endpoint: stillLive({ status: null }) }, 'converged'],
    ['H23: live version not known', { endpoint: stillLive({ liveVersion: null }) }, 'progressing'],
    ['H23: target not known', { endpoint: stillLive({ targetVersion: null }) }, 'requested'],
    [
      'H23: target not known, nothing sent',
      { endpoint: stillLive({ targetVersion: null }), history: NO_ROLLS },
      'pending',
    ],
    ['a known failure', { endpoint: moving('e', { status: 'UPDATE_FAILED' }) }, 'failed'],
    ['a known failure, though there', { endpoint: stillLive({ status: 'error' }) }, 'failed'],
    [
      'a known failure that was there before us',
      {
        endpoint: moving('e', { status: 'UPDATE_FAILED' }),
        planned: planned('e', { failedBefore: true }),
      },
      'progressing',
    ],
    [
      'a known failure before we touched it',
      { endpoint: endpoint('e', { status: 'UPDATE_FAILED' }), history: NO_ROLLS },
      'pending',
    ],
    ['stopped', { endpoint: moving('e', { status: 'STOPPED' }) }, 'failed'],
    ['stopped, though there', { endpoint: stillLive({ status: 'STOPPING' }) }, 'failed'],
    ['H06: not in the list', { endpoint: undefined }, 'missing'],
    [
      'X06: moved by somebody else',
      { endpoint: moving('e', { targetVersion: FOREIGN }) },
      'superseded',
    ],
    [
      'X06: moved by somebody else before we touched it',
      { endpoint: moving('e', { targetVersion: FOREIGN }), history: NO_ROLLS },
      'superseded',
    ],
  ])('%s', (_, said, state) => {
    expect(observe(said)).toMatchObject({ state, reads: 1 });
  });
});

describe('a refused roll', () => {
  const refused = (reason: string, times: number) =>
    rolls(...Array.from({ length: times }, (): ['rejected', string] => ['rejected', reason]));

  test.each<[string, Partial<Evidence>, string]>([
    ['H20: with a no', { history: refused('UpstreamRejected', 1) }, 'failed'],
    ['H21: with a redirect', { history: refused('UpstreamRedirect', 1) }, 'failed'],
    ['H09: with a conflict, once', { history: refused('UpstreamConflict', 1) }, 'pending'],
    ['H09: with a conflict, four times', { history: refused('UpstreamConflict', 4) }, 'pending'],
    ['H09: with a conflict, five times', { history: refused('UpstreamConflict', 5) }, 'failed'],
    ['H19: with not found, five times', { history: refused('UpstreamNotFound', 5) }, 'failed'],
    ['H14: throttled, fifty times', { history: refused('UpstreamThrottled', 50) }, 'pending'],
    ['H16: not taken, fifty times', { history: refused('UpstreamTransient', 50) }, 'pending'],
    [
      'H09: with a conflict, because it is on its way',
      { history: refused('UpstreamConflict', 1), endpoint: moving('e') },
      'progressing',
    ],
    [
      'and there all the same',
      { history: refused('UpstreamRejected', 1), endpoint: live('e') },
      'converged',
    ],
    ['and sent again since', { history: rolls('rejected', 'accepted') }, 'requested'],
  ])('%s', (_, said, state) => {
    expect(observe({ endpoint: back, ...said }).state).toBe(state);
  });
});

describe('reads one after the other', () => {
  test.each<[string, (Endpoint | undefined)[], string[]]>([
    [
      'settle',
      [back, moving('e'), live('e'), live('e')],
      ['requested 1', 'progressing 1', 'converged 1', 'converged 2'],
    ],
    [
      'H07: live flips, and it takes two reads anew',
      [live('e'), moving('e'), live('e'), live('e')],
      ['converged 1', 'progressing 1', 'converged 1', 'converged 2'],
    ],
    [
      'H02: missing once is nothing yet',
      [moving('e'), undefined, moving('e'), undefined, undefined, undefined],
      ['progressing 1', 'missing 1', 'progressing 1', 'missing 1', 'missing 2', 'missing 3'],
    ],
    [
      'X06: moved back by a human, on two reads',
      [moving('e'), back, back, back],
      ['progressing 1', 'reverted 1', 'superseded 1', 'superseded 2'],
    ],
    [
      'X06: moved back by a human after it had converged',
      [live('e'), back, back],
      ['converged 1', 'reverted 1', 'superseded 1'],
    ],
    [
      'an old answer in between is no human',
      [moving('e'), back, moving('e')],
      ['progressing 1', 'reverted 1', 'progressing 1'],
    ],
    [
      'X06: moved back while it was missing',
      [moving('e'), undefined, back, back],
      ['progressing 1', 'missing 1', 'reverted 1', 'superseded 1'],
    ],
    [
      'X06: moved back while its target was not known',
      [live('e'), unknownTarget, back, back],
      ['converged 1', 'progressing 1', 'reverted 1', 'superseded 1'],
    ],
    [
      'X06: moved back after a failure',
      [moving('e', { status: 'ERROR' }), back, back],
      ['failed 1', 'reverted 1', 'superseded 1'],
    ],
    [
      'X06: moved back, missing, and still moved back',
      [moving('e'), back, undefined, back, back],
      ['progressing 1', 'reverted 1', 'missing 1', 'reverted 1', 'superseded 1'],
    ],
    [
      'H23: a target that is not known any more is no human',
      [moving('e'), unknownTarget, unknownTarget, live('e')],
      ['progressing 1', 'progressing 2', 'progressing 3', 'converged 1'],
    ],
    [
      'H08: a target that never showed is not moved back',
      [back, undefined, back, back],
      ['requested 1', 'missing 1', 'requested 1', 'requested 2'],
    ],
    [
      'X06: once superseded, it stays so',
      [moving('e', { targetVersion: FOREIGN }), moving('e'), live('e'), undefined],
      ['superseded 1', 'superseded 2', 'superseded 3', 'superseded 4'],
    ],
    [
      'a failure that passes',
      [moving('e', { status: 'ERROR' }), moving('e'), live('e')],
      ['failed 1', 'progressing 1', 'converged 1'],
    ],
  ])('%s', (_, reads, states) => {
    expect(statesOf(reads)).toEqual(states);
  });

  test('an endpoint that was failed before may converge', () => {
    const failing = { status: 'UPDATE_FAILED' };
    expect(statesOf([moving('e', failing), live('e')], { failedBefore: true })).toEqual([
      'progressing 1',
      'converged 1',
    ]);
  });
});

describe('whatever is read', () => {
  const evidence: fc.Arbitrary<Evidence> = fc.record({
    planned: plannedWith('e'),
    endpoint: fc.option(endpointWith('e'), { nil: undefined, freq: 9 }),
    history: rollsOf('e').map((journal) => rollHistories(journal).get('e') ?? NO_ROLLS),
    before: fc.option(observation, { nil: undefined }),
  });

  test('H23: converged only when target and live both say the desired version', () => {
    fc.assert(
      fc.property(evidence, (said) => {
        fc.pre(observeEndpoint(said, GOAL).state === 'converged');
        expect(said.endpoint).toMatchObject({ targetVersion: DESIRED, liveVersion: DESIRED });
      }),
      { numRuns: 1000 },
    );
  });

  test('a read that says the same counts one up, any other starts at one', () => {
    fc.assert(
      fc.property(evidence, (said) => {
        const { state, reads } = observeEndpoint(said, GOAL);
        expect(reads).toBe(said.before?.state === state ? said.before.reads + 1 : 1);
      }),
    );
  });

  test('X06: that it had the desired target once is never forgotten', () => {
    fc.assert(
      fc.property(evidence, (said) => {
        const hasTarget = said.endpoint?.targetVersion === DESIRED;
        const expected = hasTarget || said.before?.hadTarget === true;
        expect(observeEndpoint(said, GOAL).hadTarget).toBe(expected || undefined);
      }),
    );
  });

  test('H23: moved back only what has an earlier target and had the desired one', () => {
    fc.assert(
      fc.property(evidence, (said) => {
        fc.pre(observeEndpoint(said, GOAL).state === 'reverted');
        expect(said.before?.hadTarget).toBe(true);
        expect(said.endpoint?.targetVersion).not.toBeNull();
        expect(said.endpoint?.targetVersion).not.toBe(DESIRED);
      }),
    );
  });

  test('invariant 10: a foreign target is always superseded, and superseded never ends', () => {
    fc.assert(
      fc.property(evidence, (said) => {
        const { endpoint: read, before } = said;
        const isForeign = read !== undefined && isForeignTarget(said.planned, read, DESIRED);
        fc.pre(isForeign || before?.state === 'superseded');
        expect(observeEndpoint(said, GOAL).state).toBe('superseded');
      }),
    );
  });

  test('pending only what may be rolled: nothing was sent that may have been carried out', () => {
    fc.assert(
      fc.property(evidence, (said) => {
        fc.pre(observeEndpoint(said, GOAL).state === 'pending');
        expect(said.endpoint?.targetVersion).not.toBe(DESIRED);
        expect([undefined, 'rejected', 'not-sent']).toContain(said.history.last?.result);
      }),
    );
  });
});

describe('isForeignTarget', () => {
  test.each<[string, Partial<PlannedEndpoint>, number | null, boolean]>([
    ['the desired version', {}, DESIRED, false],
    ['the previous version', {}, 2, false],
    ['the previous target', { previousTarget: 7 }, 7, false],
    ['what was live, when it was on its way elsewhere before', { previousTarget: 7 }, 2, false],
    ['not known', {}, null, false],
    ['something else', {}, FOREIGN, true],
    [
      'anything, when nothing was there before',
      { previousVersion: null, previousTarget: null },
      2,
      true,
    ],
  ])('%s', (_, said, targetVersion, foreign) => {
    expect(isForeignTarget(planned('e', said), endpoint('e', { targetVersion }), DESIRED)).toBe(
      foreign,
    );
  });
});
