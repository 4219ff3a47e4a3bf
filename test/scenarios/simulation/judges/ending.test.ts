import { expect, test } from '@jest/globals';
import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import {
  FAILED_BACK,
  FAILED_LATE,
  RED_AND_HELD,
  RED_FOR_LATEST,
  RELEASED_BADLY,
  STOPPED_WHILE_BUSY,
} from '../acquitted.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import type { Observed } from '../to-script.ts';
import { tryOrdeal } from '../try-ordeal.ts';
import { judgeEnding } from './ending.ts';

// What a judge lets pass for a reason, it blames without that reason.
test.each([
  [
    'a bad failure, although no list has shown that anything was taken back',
    FAILED_BACK,
    (run) => ({ ...run, calls: run.calls.filter((call) => !isOnItsWay(call)) }),
    'its failure is bad',
  ],
  [
    'a version in quarantine, although nobody has put it there',
    RELEASED_BADLY,
    (run) => ({ ...run, releases: [] }),
    'it ended with Quarantined',
  ],
  [
    'a version in quarantine, which is there only after that',
    RELEASED_BADLY,
    (run) => ({ ...run, releases: run.releases.map(endedLater) }),
    'it ended with Quarantined',
  ],
  [
    'a look at the list too many before it is refused for the latest version',
    RED_FOR_LATEST,
    (run) => ({ ...run, calls: [...run.calls.slice(0, 1), ...run.calls] }),
    'it read the list 5 times',
  ],
  [
    'giving up on a busy endpoint that nobody has stopped',
    STOPPED_WHILE_BUSY,
    (run) => ({ ...run, calls: run.calls.map(withoutStops) }),
    'it gave up on an endpoint that was only busy',
  ],
  [
    'keeping a stop back of an endpoint that was shown well between its roll and its failure',
    FAILED_LATE,
    (run) => ({ ...run, calls: run.calls.map(asAccepted) }),
    'was kept as never-seen-moving, and that is not so',
  ],
] satisfies [string, Partial<Ordeal>, (run: Observed) => Observed, string][])(
  'a rollout is blamed for %s',
  async (_, drawn, changed, violation) => {
    const ordeal = { ...QUIET, ...drawn };
    const run = await tryOrdeal(ordeal);

    expect(judgeEnding(ordeal, changed(run)).join()).toContain(violation);
  },
);

test.each(['refuse', 'latest'] as const)(
  'a rollout that meets another one is blamed for a gate that was green: %s',
  async (onConflict) => {
    const ordeal: Ordeal = { ...QUIET, ...RED_AND_HELD };
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

function endedLater(run: Observed['releases'][number]) {
  const { record } = run;
  return { ...run, record: record && { ...record, endedAt: Number.MAX_SAFE_INTEGER } };
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
