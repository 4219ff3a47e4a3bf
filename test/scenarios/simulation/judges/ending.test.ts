import { expect, test } from '@jest/globals';
import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import { acquitted } from '../corpus.ts';
import type { Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import { tryOrdeal } from '../try-ordeal.ts';
import { judgeEnding } from './ending.ts';

// What a judge lets pass for a reason, it blames without that reason.
test.each([
  [
    'a bad failure, although no list has shown that anything was taken back',
    'its service takes an endpoint back with a failed status',
    (run) => ({ ...run, calls: run.calls.filter((call) => !isOnItsWay(call)) }),
    'its failure is bad',
  ],
  [
    'giving up on a busy endpoint that nobody has stopped',
    'a list that shows a stopped endpoint at work is read just when it fails',
    (run) => ({ ...run, calls: run.calls.map(withoutStops) }),
    'it gave up on an endpoint that was only busy',
  ],
  [
    'keeping a stop back of an endpoint that was shown well between its roll and its failure',
    'its roll was put off, and fails at once',
    (run) => ({ ...run, calls: run.calls.map(asAccepted) }),
    'was kept as never-seen-moving, and that is not so',
  ],
] satisfies [string, string, (run: Observed) => Observed, string][])(
  'a rollout is blamed for %s',
  async (_, shows, changed, violation) => {
    const ordeal = acquitted(shows);
    const run = await tryOrdeal(ordeal);

    expect(judgeEnding(ordeal, changed(run)).join()).toContain(violation);
  },
);

test.each(['refuse', 'latest'] as const)(
  'a rollout that meets another one is blamed for a gate that was green: %s',
  async (onConflict) => {
    const ordeal: Ordeal = acquitted('its gate is red, and another one has the runtime as well');
    const policy = { ...ordeal.policy, onConflict };
    const run = await tryOrdeal({ ...ordeal, policy });

    expect(judgeEnding({ ...ordeal, policy, alarms: [] }, run).join()).toContain(
      'it ended as GateRed',
    );
  },
);

function isOnItsWay(call: Observed['calls'][number]): boolean {
  return isList(call) && call.endpoints?.some((one) => one.targetVersion === 2) === true;
}

function withoutStops(call: Observed['calls'][number]): Observed['calls'][number] {
  if (!isList(call)) return call;
  const endpoints = call.endpoints?.map((one) => {
    return one.status === 'STOPPED' ? { ...one, status: 'UPDATING' } : one;
  });
  return { ...call, endpoints: endpoints ?? null };
}

function asAccepted(call: Observed['calls'][number]): Observed['calls'][number] {
  return isWrite(call) && call.operation === 'roll' ? { ...call, answer: 'accepted' } : call;
}
