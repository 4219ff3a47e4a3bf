import { expect, test } from '@jest/globals';
import { endpointNames } from '../../../support/endpoint-names.ts';
import { acquitted } from '../corpus.ts';
import type { DrawnHold, Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { fleetOf, NO_GATES } from '../situations/situation.ts';
import { tryOrdeal } from '../try-ordeal.ts';
import { waitsForItsList } from './opening.ts';
import { abortEndsIt, pollsAsTold } from './time.ts';
import { gateIsWaitedFor } from './waited-for.ts';

// What a hold, a gate or a wave takes excuses what is late by so much, and no more.

const GATED: Ordeal = {
  ...QUIET,
  endpoints: fleetOf(endpointNames(1, 2)),
  alarms: [{ verdict: 'unknown', fromSecond: 0, seconds: 9000 }],
  policy: { ...QUIET.policy, verify: { ...NO_GATES, alarms: ['errors'], everySeconds: 50 } },
};

function heldBy(hold: Pick<DrawnHold, 'kind' | 'from' | 'seconds'>): NonNullable<Ordeal['held']> {
  const holds = [{ on: 'everything', liftedAfter: null, ...hold }] as const;
  return { holds, isOfGroup: false, refuses: false, isAgain: false, listens: false };
}

test('an abort that is heard after more than two minutes is noticed', async () => {
  const aborted: Ordeal = {
    ...QUIET,
    rollSeconds: 400,
    people: [{ kind: 'abort', onFailure: 'hold', atSecond: 20 }],
  };
  const run = await tryOrdeal(aborted);

  expect(abortEndsIt(aborted, run)).toEqual([]);
  expect(abortEndsIt(aborted, { ...run, seconds: run.seconds + 140 })).toHaveLength(1);
});

test('a list that is waited for beyond its deadline is noticed, unless a freeze was there', async () => {
  const silent: Ordeal = {
    ...QUIET,
    lists: [{ kind: 'UpstreamTimeout', fromSecond: 0, seconds: 123 }],
    held: heldBy({ kind: 'freeze', from: 0, seconds: 7 }),
  };
  const run = await tryOrdeal(silent);

  expect(waitsForItsList(silent, run)).toEqual([]);
  expect(waitsForItsList(silent, { ...run, holds: [] })).toHaveLength(1);
});

test('a gate that is asked for too long after a death is noticed, whatever was promoted before', async () => {
  const promoted = acquitted(
    'its process dies after a wave that was promoted in the silence of a gate',
  );
  const run = await tryOrdeal(promoted);
  const last = run.gates.at(-1);
  if (last === undefined) throw new Error('It has asked no gate.');
  const more = Array.from({ length: 60 }, (_, nth) => ({ ...last, at: last.at + nth * 5000 }));

  expect(run.outcome.reason).toBe('GateUnknown');
  expect(gateIsWaitedFor(promoted, run)).toEqual([]);
  expect(gateIsWaitedFor(promoted, { ...run, gates: [...run.gates, ...more] })).toHaveLength(1);
});

test('a gate that keeps a wave for too long after it has converged is noticed', async () => {
  const run = await tryOrdeal(GATED);
  const last = run.gates.at(-1);
  if (last === undefined) throw new Error('It has asked no gate.');
  const after = (looks: number) => {
    const more = Array.from({ length: looks }, (_, nth) => ({
      ...last,
      at: last.at + nth * 15_000,
    }));
    return { ...run, gates: [...run.gates, ...more] };
  };

  expect(run.outcome.reason).toBe('GateUnknown');
  expect(gateIsWaitedFor(GATED, after(4))).toEqual([]);
  expect(gateIsWaitedFor(GATED, after(40))).toHaveLength(1);
});

test('looks that come twice as often as told are noticed, whatever gates there are', async () => {
  const slow: Ordeal = { ...GATED, alarms: [], rollSeconds: 400 };
  const patient = {
    ...slow,
    policy: { ...slow.policy, maxPollSeconds: 5, progressDeadlineSeconds: 600 },
  };
  const run = await tryOrdeal(patient);

  expect(pollsAsTold(patient, run)).toEqual([]);
  expect(pollsAsTold(patient, { ...run, states: [...run.states, ...run.states] })).toHaveLength(1);
});
