import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Attempts, NO_ATTEMPTS } from '../../../lib/domain/endpoint/attempts.ts';
import {
  type Endpoint,
  isFailed,
  isStopped,
  type PlannedEndpoint,
} from '../../../lib/domain/endpoint/endpoint.ts';
import type { Direction } from '../../../lib/domain/endpoint/journal.ts';
import { LEGS } from '../../../lib/domain/endpoint/leg.ts';
import type { Observation } from '../../../lib/domain/endpoint/observation.ts';
import {
  type Evidence,
  isForeign,
  observeEndpoint,
} from '../../../lib/domain/endpoint/observe-endpoint.ts';
import {
  ANSWER_UNREADABLE,
  rollHistories,
  TARGET_TAKEN,
} from '../../../lib/domain/endpoint/rolls.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import { endpointWith, observation, plannedWith, rollsOf } from '../arbitraries.ts';
import {
  afterTarget,
  DESIRED,
  endpoint,
  FOREIGN,
  live,
  moving,
  PREVIOUS,
  planned,
  plannedBack,
  rolls,
  seen,
} from '../examples.ts';

const { statuses } = DEFAULT_POLICY;
const ROLLED = rolls('intended', 'accepted');
/** The service's answer showed the target. */
const TAKEN = rolls('intended', ['accepted', TARGET_TAKEN]);
const UNROLLED = { history: NO_ATTEMPTS };
const UNHEARD = rolls('intended', 'unknown');
/** How long a roll may take to show, in milliseconds; the rolls of these examples are of time 0. */
const REGISTERING_MS = 60_000;

/** One read of an endpoint that this rollout rolled, unless the evidence says otherwise. */
function observe(said: Partial<Evidence>): Observation {
  return observeEndpoint(
    {
      leg: LEGS.forward,
      planned: planned('e'),
      endpoint: moving('e'),
      history: ROLLED,
      before: undefined,
      now: 0,
      ...said,
    },
    statuses,
  );
}

/** The states that reads, one every half minute, make of an endpoint that this rollout rolled. */
function statesOf(
  reads: readonly (Endpoint | undefined)[],
  said: Partial<PlannedEndpoint> = {},
): string[] {
  let before: Observation | undefined;
  return reads.map((read, index) => {
    const now = (index * REGISTERING_MS) / 2;
    before = observe({ planned: planned('e', said), endpoint: read, before, now });
    return `${before.state} ${before.reads}`;
  });
}

const back = endpoint('e');
const unknownTarget = endpoint('e', { targetVersion: null });
const stillLive = (said: Partial<Endpoint>) => live('e', said);

test('one read is enough of an endpoint that stays as it is', () => {
  expect(observe({ endpoint: live('e', { isFinal: true }) })).toMatchObject({
    state: 'converged',
    reads: 2,
  });
  const failed = moving('e', { status: 'FAILED', isFinal: true });
  expect(observe({ endpoint: failed })).toMatchObject({ state: 'failed', reads: 2 });
});

test('an endpoint that another rollout has is in the hands of somebody else, whatever its versions say', () => {
  for (const said of [{}, { status: 'FAILED' }]) {
    const taken = live('e', { ...said, isTaken: true });
    expect(observe({ endpoint: taken })).toMatchObject({ state: 'superseded' });
  }
});

describe('one read', () => {
  test.each<[string, Partial<Evidence>, string]>([
    ['not rolled yet', { endpoint: back, history: NO_ATTEMPTS }, 'pending'],
    ['the roll was not sent', { endpoint: back, history: rolls('not-sent') }, 'pending'],
    ['accepted, not visible yet', { endpoint: back }, 'requested'],
    ['H11: no answer, not visible', { endpoint: back, history: rolls('unknown') }, 'requested'],
    ['A01: died around the write', { endpoint: back, history: rolls('intended') }, 'requested'],
    ['on its way', {}, 'progressing'],
    ['on its way, by others', { history: NO_ATTEMPTS }, 'progressing'],
    ['there', { endpoint: live('e') }, 'converged'],
    [
      'there by others, or an old answer',
      { endpoint: live('e'), history: NO_ATTEMPTS },
      'progressing',
    ],
    ['H06: there with no replicas', { endpoint: live('e', { replicas: 0 }) }, 'progressing'],
    [
      'there with replicas that are not told',
      { endpoint: live('e', { replicas: null }) },
      'converged',
    ],
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
      { endpoint: stillLive({ targetVersion: null }), history: NO_ATTEMPTS },
      'pending',
    ],
    ['a known failure', { endpoint: moving('e', { status: 'UPDATE_FAILED' }) }, 'failed'],
    ['a known failure, though there', { endpoint: stillLive({ status: 'error' }) }, 'failed'],
    [
      'a known failure that was there before us',
      {
        endpoint: moving('e', { status: 'UPDATE_FAILED' }),
        planned: planned('e', { wrongBefore: ['failed'] }),
      },
      'progressing',
    ],
    [
      'failed at the target before us: it needs a roll',
      {
        endpoint: moving('e', { status: 'UPDATE_FAILED' }),
        planned: planned('e', { wrongBefore: ['failed'] }),
        history: NO_ATTEMPTS,
      },
      'pending',
    ],
    [
      'failed at the target, by others, since we began',
      { endpoint: moving('e', { status: 'UPDATE_FAILED' }), history: NO_ATTEMPTS },
      'progressing',
    ],
    [
      'forward, live with the failure from before is not there yet',
      {
        endpoint: stillLive({ status: 'UPDATE_FAILED' }),
        planned: planned('e', { wrongBefore: ['failed'] }),
      },
      'progressing',
    ],
    [
      'a known failure before we touched it',
      { endpoint: endpoint('e', { status: 'UPDATE_FAILED' }), history: NO_ATTEMPTS },
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
      { endpoint: moving('e', { targetVersion: FOREIGN }), history: NO_ATTEMPTS },
      'superseded',
    ],
  ])('%s', (_, said, state) => {
    expect(observe(said)).toMatchObject({ state, reads: 1 });
  });
});

test('H33: an unknown status on the version confirms nothing, unless it was there at rest', () => {
  const zombie = live('e', { status: 'ZOMBIE' });
  const doubted = observe({ endpoint: zombie });
  expect(doubted).toMatchObject({ state: 'converged', reads: 0, unknownStatus: 'ZOMBIE' });
  expect(observe({ endpoint: zombie, before: doubted })).toMatchObject({ reads: 0 });
  const known = observe({ endpoint: zombie, restingWords: ['Zombie'] });
  expect(known).toMatchObject({ state: 'converged', reads: 1 });
});

test.each<[string, Partial<Evidence>, boolean]>([
  [
    'its status says so',
    { endpoint: endpoint('e', { status: 'SCALE_IN_PROGRESS' }), ...UNROLLED },
    true,
  ],
  ['it is on its way', { endpoint: endpoint('e', { liveVersion: null }), ...UNROLLED }, true],
  ['its status says nothing', { endpoint: endpoint('e', { status: null }), ...UNROLLED }, false],
  ['it is rolled', { endpoint: moving('e'), history: rolls('accepted') }, false],
])('the service is at work on what has to be rolled: %s', (_, said, isBusy) => {
  expect(observe(said).isBusy ?? false).toBe(isBusy);
});

describe('a refused roll', () => {
  const refused = (reason: string, times: number) =>
    rolls(...Array.from({ length: times }, (): ['rejected', string] => ['rejected', reason]));

  test.each<[string, Partial<Evidence>, string]>([
    ['H20: with a no', { history: refused('UpstreamRejected', 1) }, 'failed'],
    ['H21: with a redirect', { history: refused('UpstreamRedirect', 1) }, 'failed'],
    ['H09: with a conflict, once', { history: refused('UpstreamConflict', 1) }, 'pending'],
    ['H09: with a conflict, fifty times', { history: refused('UpstreamConflict', 50) }, 'pending'],
    ['H19: with not found, five times', { history: refused('UpstreamNotFound', 5) }, 'failed'],
    ['H14: throttled, fifty times', { history: refused('UpstreamThrottled', 50) }, 'pending'],
    ['H16: not taken, fifty times', { history: refused('UpstreamTransient', 50) }, 'pending'],
    [
      'H09: with a conflict, because it is on its way',
      { history: refused('UpstreamConflict', 1), endpoint: moving('e') },
      'progressing',
    ],
    [
      'and there all the same, or an old answer',
      { history: refused('UpstreamRejected', 1), endpoint: live('e') },
      'progressing',
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
      'X06: moved back by a human, on three reads in a minute',
      [moving('e'), back, back, back, back],
      ['progressing 1', 'reverted 1', 'reverted 2', 'taken-back 1', 'taken-back 2'],
    ],
    [
      'X06: moved back by a human after it had converged',
      [live('e'), back, back, back],
      ['converged 1', 'reverted 1', 'reverted 2', 'taken-back 1'],
    ],
    [
      'old answers in between are no human',
      [moving('e'), back, back, moving('e'), back],
      ['progressing 1', 'reverted 1', 'reverted 2', 'progressing 1', 'reverted 1'],
    ],
    [
      'X06: moved back while it was missing',
      [moving('e'), undefined, back, back, back],
      ['progressing 1', 'missing 1', 'reverted 1', 'reverted 2', 'taken-back 1'],
    ],
    [
      'X06: moved back while its target was not known',
      [live('e'), unknownTarget, back, back, back],
      ['converged 1', 'progressing 1', 'reverted 1', 'reverted 2', 'taken-back 1'],
    ],
    [
      'X06: moved back after a failure',
      [moving('e', { status: 'ERROR' }), back, back, back],
      ['failed 1', 'reverted 1', 'reverted 2', 'taken-back 1'],
    ],
    [
      'X06: moved back, missing, and still moved back',
      [moving('e'), back, undefined, back, back, back],
      ['progressing 1', 'reverted 1', 'missing 1', 'reverted 1', 'reverted 2', 'taken-back 1'],
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

  test('X06: the minute begins with the first read that shows the earlier target', () => {
    const before = { ...afterTarget(seen('progressing', 1)), since: 5000 };

    expect(observe({ endpoint: back, before, now: 10_000 }).since).toBe(10_000);
  });

  test.each<[string, reads: number, ms: number, string]>([
    ['after three reads and a minute', 3, REGISTERING_MS, 'taken-back'],
    ['not on two reads, however late', 2, 10 * REGISTERING_MS, 'reverted'],
    ['not within a minute, however often', 9, REGISTERING_MS - 1, 'reverted'],
  ])('X06: an earlier target is somebody else %s', (_, reads, ms, state) => {
    const since = 5000;
    const before = { ...afterTarget(seen('reverted', reads - 1)), since };
    const observed = observe({ endpoint: back, before, now: since + ms });
    expect(observed.state).toBe(state);
    expect(observed.since).toBe(state === 'reverted' ? since : undefined);
  });

  test('X06: the minute of an earlier target begins with the first read of it', () => {
    const before = afterTarget(seen('progressing', 4));
    const first = observe({ endpoint: back, before, now: 7000 });
    const elsewhere = { of: 'target', version: 2 };
    expect(first).toEqual({ ...afterTarget(seen('reverted')), since: 7000, elsewhere });
    expect(observe({ before: first }).since).toBeUndefined();
  });

  test.each<[string, Endpoint, Observation['elsewhere']]>([
    ['its target', endpoint('e', { targetVersion: FOREIGN }), { of: 'target', version: FOREIGN }],
    [
      'its target, whatever it serves',
      endpoint('e', { targetVersion: FOREIGN, liveVersion: 8 }),
      { of: 'target', version: FOREIGN },
    ],
    [
      'its live version, when no target is told',
      endpoint('e', { targetVersion: null, liveVersion: FOREIGN }),
      { of: 'live', version: FOREIGN },
    ],
    [
      'its live version, when the target is that of before',
      endpoint('e', { liveVersion: FOREIGN }),
      { of: 'live', version: FOREIGN },
    ],
    ['nothing, when another rollout has it', endpoint('e', { isTaken: true }), undefined],
  ])('X06: one that is elsewhere remembers what showed that: %s', (_, shown, elsewhere) => {
    const first = observe({ endpoint: shown });
    expect(first.state).toBe('superseded');
    expect(first.elsewhere).toEqual(elsewhere);
    expect(observe({ before: first, endpoint: live('e') }).elsewhere).toEqual(elsewhere);
  });

  test('an endpoint that was failed before may converge', () => {
    const failing = { status: 'UPDATE_FAILED' };
    expect(statesOf([moving('e', failing), live('e')], { wrongBefore: ['failed'] })).toEqual([
      'progressing 1',
      'converged 1',
    ]);
  });
});

describe('whatever is read', () => {
  const evidence: fc.Arbitrary<Evidence> = fc.record({
    leg: fc.constant(LEGS.forward),
    planned: plannedWith('e'),
    endpoint: fc.option(endpointWith('e'), { nil: undefined, freq: 9 }),
    history: rollsOf('e').map(
      (journal) => rollHistories(journal, 'forward').get('e') ?? NO_ATTEMPTS,
    ),
    before: fc.option(observation, { nil: undefined }),
    now: fc.constantFrom(0, REGISTERING_MS - 1, REGISTERING_MS),
  });

  test('H23: converged only when target and live both say the desired version', () => {
    fc.assert(
      fc.property(evidence, (said) => {
        const { state, reads } = observeEndpoint(said, statuses);
        fc.pre(state === 'converged' && reads > 0);
        expect(said.endpoint).toMatchObject({ targetVersion: DESIRED, liveVersion: DESIRED });
        expect(said.endpoint?.replicas).not.toBe(0);
      }),
      { numRuns: 100, maxSkipsPerRun: 1000 },
    );
  });

  test('a read that says the same counts one up, any other starts at one', () => {
    fc.assert(
      fc.property(evidence, (said) => {
        const { state, reads, unknownStatus } = observeEndpoint(said, statuses);
        const { before, endpoint: read } = said;
        const told = [read?.targetVersion, read?.liveVersion].filter((one) => one !== null);
        const isSilent =
          read !== undefined &&
          told.length < 2 &&
          told.every((one) => one === DESIRED) &&
          !isFailed(read, statuses) &&
          !isStopped(read, statuses);
        const next = before?.state === state ? before.reads + 1 : 1;
        // When an endpoint has converged, neither silence nor a word that nobody knows counts against it.
        const isQuiet = before?.state === 'converged' && isSilent;
        expect(reads).toBe(isQuiet || unknownStatus !== undefined ? 0 : next);
      }),
    );
  });

  test('X06: that it had the desired target once is never forgotten', () => {
    fc.assert(
      fc.property(evidence, (said) => {
        const { hadTarget } = observeEndpoint(said, statuses);
        if (said.before?.hadTarget === true) expect(hadTarget).toBe(true);
        const isSeen = said.endpoint?.targetVersion === DESIRED;
        if (hadTarget && said.before === undefined) expect(isSeen).toBe(true);
      }),
    );
  });

  test('H23: moved back only what has an earlier target and had the desired one', () => {
    fc.assert(
      fc.property(evidence, (said) => {
        fc.pre(observeEndpoint(said, statuses).state === 'reverted');
        expect(said.before?.hadTarget).toBe(true);
        expect(said.endpoint?.targetVersion).not.toBeNull();
        expect(said.endpoint?.targetVersion).not.toBe(DESIRED);
      }),
    );
  });

  test('invariant 10: a foreign target is always superseded; neither that nor taken back ever ends', () => {
    fc.assert(
      fc.property(evidence, (said) => {
        const { endpoint: read, before } = said;
        const isMoved = read !== undefined && isForeign(said.planned, read);
        const isForGood = before?.state === 'superseded' || before?.state === 'taken-back';
        fc.pre(isMoved || isForGood);
        const due = isForGood ? before.state : 'superseded';
        expect(observeEndpoint(said, statuses).state).toBe(due);
      }),
    );
  });

  test('pending only what may be rolled: nothing was sent that may have been carried out', () => {
    fc.assert(
      fc.property(evidence, (said) => {
        fc.pre(observeEndpoint(said, statuses).state === 'pending');
        expect([undefined, 'rejected', 'not-sent']).toContain(said.history.last?.result);
        if (said.endpoint?.targetVersion !== DESIRED) return;
        // Rolled there by somebody before, and failed.
        expect(
          said.planned.wrongBefore.includes('failed') && isFailed(said.endpoint, statuses),
        ).toBe(true);
      }),
    );
  });
});

describe('a roll that never shows', () => {
  const twice = rolls('intended', 'accepted', 'intended', 'accepted');

  test('H08: has not started a minute after the second one', () => {
    const observed = (now: number) => observe({ endpoint: back, history: twice, now }).state;
    expect(observed(REGISTERING_MS - 1)).toBe('requested');
    expect(observed(REGISTERING_MS)).toBe('failed');
  });

  test.each<[string, Partial<Evidence>, string]>([
    ['made once', { endpoint: back }, 'requested'],
    ['it shows', { history: twice }, 'progressing'],
    ['it is there', { history: twice, endpoint: live('e') }, 'converged'],
    [
      'it had shown, and somebody moved it back',
      { history: twice, endpoint: back, before: afterTarget(seen('progressing')) },
      'reverted',
    ],
    [
      'the service had taken it, and shows an earlier target',
      {
        history: rolls('intended', 'unknown', 'intended', ['accepted', 'target-taken']),
        endpoint: back,
      },
      'requested',
    ],
  ])('H08: is waited for, or answered otherwise, when %s', (_, said, state) => {
    expect(observe({ now: REGISTERING_MS, ...said }).state).toBe(state);
  });
});

describe('on the way back', () => {
  const way = (said: Partial<Evidence>) =>
    observe({ leg: LEGS.back, planned: plannedBack('e'), ...said });

  test.each<[string, Partial<Evidence>, string]>([
    ['not turned around yet', { endpoint: live('e'), history: NO_ATTEMPTS }, 'pending'],
    ['sent, and it does not show yet', { endpoint: live('e') }, 'requested'],
    ['on its way back', { endpoint: live('e', { targetVersion: PREVIOUS }) }, 'progressing'],
    ['there', { endpoint: back, history: TAKEN }, 'converged'],
    ['there, or an old answer', { endpoint: back }, 'progressing'],
    [
      'broken when it began, and still broken on its way',
      {
        planned: plannedBack('e', { leftAs: 'broken' }),
        endpoint: live('e', { targetVersion: PREVIOUS, status: 'UPDATE_FAILED' }),
      },
      'progressing',
    ],
    [
      'broken when it began, and still broken where it was healthy before',
      {
        planned: plannedBack('e', { leftAs: 'broken' }),
        endpoint: endpoint('e', { status: 'UPDATE_FAILED' }),
      },
      'progressing',
    ],
    [
      'broken when it began, still broken where it was healthy before, and not rolled there',
      {
        planned: plannedBack('e', { leftAs: 'broken' }),
        endpoint: endpoint('e', { status: 'UPDATE_FAILED' }),
        history: NO_ATTEMPTS,
      },
      'pending',
    ],
    [
      'the same, and the service refuses to roll it',
      {
        planned: plannedBack('e', { leftAs: 'broken' }),
        endpoint: endpoint('e', { status: 'UPDATE_FAILED' }),
        history: rolls('intended', ['rejected', 'UpstreamRejected']),
      },
      'failed',
    ],
    [
      'there, as failed as it was before the rollout',
      {
        planned: plannedBack('e', { wrongBefore: ['failed'], leftAs: 'broken' }),
        endpoint: endpoint('e', { status: 'UPDATE_FAILED' }),
        history: TAKEN,
      },
      'converged',
    ],
    [
      'there, without replicas as it was before the rollout',
      {
        planned: plannedBack('e', { wrongBefore: ['dark'] }),
        endpoint: endpoint('e', { replicas: 0 }),
        history: TAKEN,
      },
      'converged',
    ],
    [
      'there, and without the replicas that it had before',
      { endpoint: endpoint('e', { replicas: 0 }), history: TAKEN },
      'progressing',
    ],
    [
      'failed before the rollout, and not live there again',
      {
        planned: plannedBack('e', { wrongBefore: ['failed'] }),
        endpoint: live('e', { targetVersion: PREVIOUS, status: 'UPDATE_FAILED' }),
      },
      'progressing',
    ],
    [
      'stopped by somebody else',
      { endpoint: live('e', { targetVersion: PREVIOUS, status: 'STOPPED' }) },
      'superseded',
    ],
    [
      'healthy before, and broken by it',
      { endpoint: moving('e', { targetVersion: PREVIOUS, status: 'UPDATE_FAILED' }) },
      'failed',
    ],
    [
      'X06: moved by somebody else',
      { endpoint: live('e', { targetVersion: FOREIGN }) },
      'superseded',
    ],
  ])('%s', (_, said, state) => {
    expect(way(said)).toMatchObject({ state, reads: 1 });
  });

  test.each<[string, Partial<Evidence>, true | undefined]>([
    [
      'waits, and the read shows it broken',
      { history: NO_ATTEMPTS, endpoint: live('e', { status: 'ERROR' }) },
      true,
    ],
    [
      'waits, and the read shows it healthy',
      { history: NO_ATTEMPTS, endpoint: live('e') },
      undefined,
    ],
    [
      'was sent as broken, and heals',
      {
        endpoint: live('e', { targetVersion: PREVIOUS }),
        before: { ...seen('pending'), isBroken: true },
      },
      true,
    ],
    [
      'was sent as broken at once, before any look',
      { endpoint: live('e', { targetVersion: PREVIOUS }) },
      true,
    ],
    [
      'had recovered when it was sent',
      { endpoint: live('e', { targetVersion: PREVIOUS }), before: seen('pending') },
      undefined,
    ],
    [
      'was sent, shows nowhere and has recovered',
      { endpoint: live('e'), before: { ...seen('requested'), isBroken: true } },
      undefined,
    ],
  ])('one that was broken when it began takes nobody’s place: it %s: %p', (_, said, isBroken) => {
    const known = plannedBack('e', { leftAs: 'broken' });
    expect(way({ planned: known, ...said }).isBroken).toBe(isBroken);
    expect(way(said).isBroken).toBeUndefined();
  });
});

describe('what an old answer would look like too', () => {
  const there = (direction: Direction) =>
    direction === 'forward'
      ? { planned: planned('e'), endpoint: live('e') }
      : { planned: plannedBack('e'), endpoint: endpoint('e') };
  /** States of reads, one every half minute. */
  const follow = (
    direction: Direction,
    history: Attempts,
    reads: readonly Partial<Evidence>[],
  ): string[] => {
    let before: Observation | undefined;
    return reads.map((read, index) => {
      const now = (index * REGISTERING_MS) / 2;
      before = observe({
        leg: LEGS[direction],
        ...there(direction),
        history,
        before,
        now,
        ...read,
      });
      return `${before.state} ${before.reads}`;
    });
  };
  const FORWARD: Partial<Evidence> = { endpoint: live('e', { targetVersion: PREVIOUS }) };

  test.each<[string, Direction, Attempts]>([
    ['a roll without an answer', 'forward', UNHEARD],
    ['no roll of ours', 'forward', NO_ATTEMPTS],
    ['a roll back without an answer', 'back', UNHEARD],
    ['a roll back whose answer does not show the target', 'back', ROLLED],
    ['no roll back', 'back', NO_ATTEMPTS],
  ])(
    'H11: after %s it counts when reads have said so for a minute: %s',
    (_, direction, history) => {
      expect(follow(direction, history, [{}, {}, {}, {}])).toEqual([
        'progressing 1',
        'progressing 2',
        'converged 1',
        'converged 2',
      ]);
    },
  );

  test.each<[string, Direction, Attempts]>([
    ['the answer showed the target', 'forward', TAKEN],
    ['the answer was a yes', 'forward', ROLLED],
    ['the answer showed the target', 'back', TAKEN],
  ])('counts at once where %s: %s', (_, direction, history) => {
    expect(follow(direction, history, [{}, {}])).toEqual(['converged 1', 'converged 2']);
  });

  test.each<Direction>(['forward', 'back'])(
    'counts at once where a read showed it on its way: %s',
    (direction) => {
      const onItsWay = {
        endpoint: direction === 'forward' ? moving('e') : FORWARD.endpoint,
      };
      expect(follow(direction, UNHEARD, [onItsWay, {}, {}])).toEqual([
        'progressing 1',
        'converged 1',
        'converged 2',
      ]);
    },
  );

  test('counts at once after a yes that cannot be read, but not on the way back', () => {
    const unread = rolls('intended', ['unknown', ANSWER_UNREADABLE]);
    expect(follow('forward', unread, [{}, {}])).toEqual(['converged 1', 'converged 2']);
    expect(follow('back', unread, [{}, {}])).toEqual(['progressing 1', 'progressing 2']);
  });

  test('counts at once where the plan saw it on its way already', () => {
    const known = planned('e', { previousTarget: DESIRED });
    expect(follow('forward', NO_ATTEMPTS, [{ planned: known }])).toEqual(['converged 1']);
  });

  test('H11: a roll back that was lost, and old answers: begins anew with each of them', () => {
    const lost = { endpoint: live('e') };
    expect(follow('back', UNHEARD, [{}, {}, lost, {}, {}, lost])).toEqual([
      'progressing 1',
      'progressing 2',
      'requested 1',
      'progressing 1',
      'progressing 2',
      'requested 1',
    ]);
  });
});

describe('isForeign', () => {
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
    expect(isForeign(planned('e', said), endpoint('e', { targetVersion }))).toBe(foreign);
  });

  test.each<[string, number | null, number | null, boolean]>([
    ['live on an unknown version, and no target is told', null, FOREIGN, true],
    ['live on an unknown version, with the target from before', PREVIOUS, FOREIGN, true],
    ['live on an unknown version, and on its way to the desired one', DESIRED, FOREIGN, false],
    ['live on what it had, and no target is told', null, PREVIOUS, false],
    ['live on the desired version, and no target is told', null, DESIRED, false],
    ['live on none', null, 0, false],
    ['nothing is told', null, null, false],
  ])('%s', (_, targetVersion, liveVersion, foreign) => {
    const one = endpoint('e', { targetVersion, liveVersion });
    expect(isForeign(planned('e'), one)).toBe(foreign);
    const turn = (version: number | null) =>
      version === DESIRED ? PREVIOUS : version === PREVIOUS ? DESIRED : version;
    const back = { targetVersion: turn(targetVersion), liveVersion: turn(liveVersion) };
    expect(isForeign(plannedBack('e', { previousTarget: DESIRED }), { ...one, ...back })).toBe(
      foreign,
    );
  });
});
