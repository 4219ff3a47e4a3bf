import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chooseRolls } from '../../../lib/domain/decision/next-rolls.ts';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import {
  isInMidRoll,
  isLostForGood,
  type Observation,
} from '../../../lib/domain/endpoint/observation.ts';
import { ANSWER_UNREADABLE } from '../../../lib/domain/endpoint/rolls.ts';
import { observation } from '../arbitraries.ts';
import { line, planBackOf, plannedBack, planOf, seen } from '../examples.ts';

const wave = fc.array(observation, { maxLength: 40 });
const limit = fc.integer({ min: 1, max: 40 });
/** An hour after everything that is in the journal. */
const NOW = 3_600_000;
const pending = seen('pending');
/** An earlier rollout has left it in mid-roll. */
const moving = { ...pending, isMoving: true } as const;

/** On the way forward, where the service has accepted a roll already or has not. */
function choose(observations: readonly Observation[], maxUnavailable: number, isAccepted: boolean) {
  const plan = planOf([observations.length], { maxUnavailable });
  const journal = [line('roll', 'web-1', isAccepted ? 'accepted' : 'unknown')];
  return chooseRolls(plan, observations, journal, NOW);
}

/** On the way back; `broken` are the indexes of those that have nothing to lose. */
function chooseBack(
  observations: readonly Observation[],
  maxUnavailable: number,
  broken: readonly number[] = [],
) {
  const { ids: _, ...plan } = planBackOf(observations.length, { maxUnavailable });
  const seenBack = observations.map((each, position) =>
    broken.includes(position) ? { ...each, isBroken: true as const } : each,
  );
  return chooseRolls(plan, seenBack, [], NOW);
}

test('after a yes that cannot be read, more are rolled once the list has shown that it arrived', () => {
  const next = (first: Observation) =>
    chooseRolls(
      planOf([4], { maxUnavailable: 4 }),
      [first, pending, pending, pending],
      [line('roll', 'web-1', 'unknown', ANSWER_UNREADABLE)],
      NOW,
    );
  expect(next(seen('requested'))).toEqual([]);
  expect(next({ ...seen('progressing'), hadTarget: true })).toEqual([1, 2, 3]);
});

describe('with a limit of what may be at risk', () => {
  const atRisk = (plan: { maxAtRisk: number }, observations: readonly Observation[]) =>
    chooseRolls(
      { ...planOf([observations.length], { maxUnavailable: 40 }), ...plan },
      observations,
      [line('roll', 'web-1', 'accepted')],
      NOW,
    );

  test('what is lost takes a place as what is in mid-roll does', () => {
    const before = [seen('failed', 2), seen('progressing'), pending, pending];
    expect(atRisk({ maxAtRisk: 2 }, before)).toEqual([]);
    expect(atRisk({ maxAtRisk: 3 }, before)).toEqual([2]);
    expect(atRisk({ maxAtRisk: 1 }, [moving, moving, pending])).toEqual([0]);
  });

  test('never does a choice go beyond it', () => {
    fc.assert(
      fc.property(wave, limit, (observations, maxAtRisk) => {
        const before = observations.filter((each) => isInMidRoll(each) || isLostForGood(each));
        const chosen = atRisk({ maxAtRisk }, observations);
        expect(chosen.length).toBeLessThanOrEqual(Math.max(0, maxAtRisk - before.length));
      }),
    );
  });
});

describe('chooseRolls', () => {
  test.each<[string, Observation[], number, number[]]>([
    ['as many as may be unavailable', [pending, pending, pending], 2, [0, 1]],
    ['those in mid-roll count', [seen('progressing'), pending, pending], 2, [1]],
    [
      'what is in mid-roll already costs nothing, and counts',
      [pending, moving, pending],
      2,
      [0, 1],
    ],
    ['where more is in mid-roll than may be, no more of that', [pending, moving, moving], 1, [1]],
    ['none of that beside as many as may be', [seen('progressing'), moving], 1, []],
    ['a roll that shows nowhere yet counts', [seen('requested'), pending], 1, []],
    ['one read of convergence does not make room', [seen('converged', 1), pending], 1, []],
    ['two reads of convergence do', [seen('converged', 2), pending], 1, [1]],
    ['one that is missing counts until it has vanished', [seen('missing', 2), pending], 1, []],
    ['one that was moved back counts', [seen('reverted'), pending], 1, []],
    ['more in mid-roll than allowed', [seen('progressing'), seen('requested'), pending], 1, []],
    ['nothing is pending', [seen('converged', 2), seen('superseded')], 5, []],
  ])('%s', (_, observations, maxUnavailable, chosen) => {
    expect(choose(observations, maxUnavailable, true)).toEqual(chosen);
  });

  test('H20: until the service has accepted a roll, one goes alone', () => {
    expect(choose([pending, pending, pending], 3, false)).toEqual([0]);
    expect(choose([seen('requested'), pending, pending], 3, false)).toEqual([]);
    expect(choose([seen('failed', 1), pending, pending], 3, false)).toEqual([]);
  });

  test('invariant 3: together with those in mid-roll never more than may be unavailable', () => {
    fc.assert(
      fc.property(wave, limit, fc.boolean(), (observations, maxUnavailable, isAccepted) => {
        const chosen = choose(observations, maxUnavailable, isAccepted);
        const allowed = isAccepted ? maxUnavailable : 1;
        const inMidRoll = observations.filter(isInMidRoll).length;
        expect(chosen.length).toBeLessThanOrEqual(Math.max(0, allowed - inMidRoll));
      }),
    );
  });

  test('chooses only pending endpoints, each once, the first ones first', () => {
    fc.assert(
      fc.property(wave, limit, fc.boolean(), (observations, maxUnavailable, isAccepted) => {
        const chosen = choose(observations, maxUnavailable, isAccepted);
        const all = observations.flatMap(({ state }, index) =>
          state === 'pending' ? [index] : [],
        );
        expect(chosen).toEqual(all.slice(0, chosen.length));
      }),
    );
  });

  test('invariant 14: a wave with nothing in mid-roll always goes on', () => {
    fc.assert(
      fc.property(wave, limit, fc.boolean(), (observations, maxUnavailable, isAccepted) => {
        fc.pre(observations.some(({ state }) => state === 'pending'));
        fc.pre(!observations.some(isInMidRoll));
        expect(choose(observations, maxUnavailable, isAccepted)).not.toEqual([]);
      }),
    );
  });
});

describe('chooseRolls on the way back', () => {
  test.each<[string, Observation[], number, number[], number[]]>([
    ['as many as may be unavailable', [pending, pending, pending], 2, [], [0, 1]],
    ['those in mid-roll count', [seen('progressing'), pending, pending], 2, [], [1]],
    ['what is broken goes at once', [pending, pending, pending], 1, [0, 1, 2], [0, 1, 2]],
    ['the healthy ones next to it as far as they may', [pending, pending, pending], 1, [0], [0, 1]],
    ['what is broken takes no room', [seen('progressing'), pending, pending], 1, [0], [1]],
    ['what is broken goes though there is none', [seen('progressing'), pending], 1, [1], [1]],
    ['what is in mid-roll already goes first', [pending, moving, pending], 1, [], [1]],
    ['what is in mid-roll already counts', [pending, moving, pending], 2, [], [0, 1]],
    ['no more of that than may be unavailable', [moving, moving, moving, pending], 2, [], [0, 1]],
    ['what is in mid-roll and broken does not count', [moving, pending], 1, [0], [0, 1]],
  ])('%s', (_, observations, maxUnavailable, broken, chosen) => {
    expect(chooseBack(observations, maxUnavailable, broken)).toEqual(chosen);
  });

  test('what had failed before the rollout, and is live now, is not free to go', () => {
    const { ids, ...plan } = planBackOf(2, { maxUnavailable: 1 });
    const endpoints = ids.map((id) => plannedBack(id, { wrongBefore: ['failed'] }));
    expect(chooseRolls({ ...plan, endpoints }, [pending, pending], [], NOW)).toEqual([0]);
  });

  test('none goes alone: the service has taken these endpoints before', () => {
    expect(chooseBack([pending, pending], 2)).toEqual([0, 1]);
    expect(choose([pending, pending], 2, false)).toEqual([0]);
  });

  test('invariant 3: of the healthy ones never more than may be unavailable', () => {
    const indexes = fc.uniqueArray(fc.nat(39));
    fc.assert(
      fc.property(wave, limit, indexes, (observations, maxUnavailable, broken) => {
        const isHealthy = (position: number) => !broken.includes(position);
        const chosen = chooseBack(observations, maxUnavailable, broken);
        const inMidRoll = observations.filter((one, at) => isInMidRoll(one) && isHealthy(at));
        const room = Math.max(0, maxUnavailable - inMidRoll.length);
        expect(chosen.filter(isHealthy).length).toBeLessThanOrEqual(room);
      }),
    );
  });

  test('every broken one that is pending goes, and nothing that is not pending', () => {
    const indexes = fc.uniqueArray(fc.nat(39));
    fc.assert(
      fc.property(wave, limit, indexes, (observations, maxUnavailable, broken) => {
        const chosen = chooseBack(observations, maxUnavailable, broken);
        const isPending = (position: number) => observations[position]?.state === 'pending';
        expect(chosen).toEqual(chosen.filter(isPending).toSorted((a, b) => a - b));
        expect(chosen).toEqual(expect.arrayContaining(broken.filter(isPending)));
        expect(new Set(chosen).size).toBe(chosen.length);
      }),
    );
  });
});

describe('endpoints that the service does not roll for now', () => {
  const at = (seconds: number, id: string) => ({
    ...line('roll', id, 'rejected', 'UpstreamConflict'),
    watched: NOW - seconds * 1_000,
  });
  const busy = { ...pending, isBusy: true } as const;
  const chosen = (
    observations: readonly Observation[],
    journal: readonly JournalEntry[],
    maxUnavailable = 1,
  ) => chooseRolls(planOf([observations.length], { maxUnavailable }), observations, journal, NOW);
  const accepted = line('roll', 'web-9', 'accepted');

  test.each<[string, Observation[], JournalEntry[], number[]]>([
    [
      'one that was just refused gives its place away',
      [pending, pending],
      [accepted, at(0, 'web-1')],
      [1],
    ],
    ['also where none was accepted yet', [pending, pending], [at(0, 'web-1')], [1]],
    ['alone, it is asked again in time', [pending], [at(1, 'web-1')], [0]],
    ['but not while it is busy', [busy], [at(59, 'web-1')], []],
    ['for more than a minute', [busy], [at(60, 'web-1')], [0]],
    ['one that was refused before goes last', [pending, pending], [at(900, 'web-1')], [1]],
    ['so does one with a busy status', [busy, pending], [], [1]],
    ['but not one that is moving anyway', [{ ...busy, isMoving: true }, pending], [], [0]],
    ['if all are busy, the first one goes', [busy, busy], [], [0]],
  ])('%s', (_, observations, journal, indexes) => {
    expect(chosen(observations, journal)).toEqual(indexes);
  });

  test('H18: while nobody is let in, the one that is tried is the first in turn', () => {
    const noAccess = line('roll', 'web-2', 'rejected', 'UpstreamAuth');
    const journal = [accepted, at(900, 'web-1'), noAccess];
    expect(chosen([pending, pending, pending], journal, 3)).toEqual([1]);
    expect(chosen([busy, pending], [accepted, noAccess], 2)).toEqual([1]);
  });

  test('with room for all, all go in the order of the plan', () => {
    expect(chosen([busy, pending, pending], [accepted], 3)).toEqual([0, 1, 2]);
  });
});
