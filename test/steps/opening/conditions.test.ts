import { describe, expect, test } from '@jest/globals';
import { ErrorName, errorNameOf } from '../../../lib/domain/errors.ts';
import { LEASE_TOLERANCE_MS, leaseUntil } from '../../../lib/domain/rollout/lease.ts';
import { acceptedAt } from '../../../lib/domain/rollout/opening.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import type { AskedRequest } from '../../../lib/domain/rollout/request.ts';
import {
  type Answer,
  type Condition,
  type Configured,
  GO,
  hindrance,
  type PreviewPorts,
  refusal,
} from '../../../lib/steps/opening/condition.ts';
import {
  foreseeNotGo,
  opening as startWith,
  waitToOpen,
} from '../../../lib/steps/opening/conditions.ts';
import { configured } from '../../../lib/steps/opening/configured.ts';
import { holdsRead, unheld } from '../../../lib/steps/opening/holds.ts';
import { listRead } from '../../../lib/steps/opening/list.ts';
import { planAgreed } from '../../../lib/steps/opening/plan.ts';
import { versionKnown } from '../../../lib/steps/opening/version.ts';
import { planOf, policyOf, recordOf } from '../../domain/examples.ts';
import { freeze } from '../../domain/turn/examples.ts';
import { gatePortsOf } from '../../support/gate-ports.ts';
import { NOW, onStage, openingPorts, type Stage } from '../stage.ts';

const REQUEST: AskedRequest = { ...recordOf().request, rolloutId: 'rollout-4', desiredVersion: 4 };
const TURN = hindrance('turn', 'It waits.', 60, NOW + 90_000);

async function wait(
  { ports: { ledger, clock } }: Stage,
  hindered: Parameters<typeof waitToOpen>[1],
) {
  return waitToOpen(await ledger.read('rollout-4'), hindered, { ledger, clock });
}

test('what a rollout waits for, why and until when is in the ledger', async () => {
  await onStage({}, async (stage) => {
    await stage.ports.ledger.enlist(REQUEST, acceptedAt(NOW), NOW);

    expect(await wait(stage, TURN)).toMatchObject({ next: 'wait', step: 'open', seconds: 60 });

    const { wait: waits, opening } = await stage.ports.ledger.read('rollout-4');
    expect(waits).toEqual({
      ...{ for: 'turn', of: 'It waits.', wave: null, since: NOW },
      ...{ until: NOW + 90_000, lookAt: NOW + 60_000 },
    });
    expect(opening).toEqual({ lookedAt: NOW, waited: { turn: 0, version: 0, list: 0 } });
  });
});

test('only a rollout of a group is refused because its runtime was taken out of the configuration', async () => {
  await onStage({}, async ({ ports }) => {
    const planning = {
      policyOf: () => policyOf(),
      runtimesOf: () => null,
      isNamed: () => false,
    };
    const request = { ...REQUEST, endpointUrl: ports.service.url };
    const input = { schemaVersion: 1, runtimeId: 'shop', version: 4 } as const;
    const ask = (said: Partial<AskedRequest>) => {
      const rollout = { request: { ...request, ...said }, input };
      return configured.ask(rollout, { ...openingPorts(ports), groups: { planning } });
    };
    expect(await ask({})).toMatchObject({ decision: 'go' });
    await expect(ask({ parent: 'group-1' })).rejects.toMatchObject({ name: 'UnknownRuntime' });
  });
});

test('each wait is counted by itself, whatever lies between', async () => {
  await onStage({}, async (stage) => {
    await stage.ports.ledger.enlist(REQUEST, acceptedAt(NOW), NOW);
    await wait(stage, TURN);
    stage.now += 60_000;
    await wait(stage, { ...TURN, for: 'window', seconds: 86_400 });
    stage.now += 86_400_000;
    await wait(stage, { ...TURN, for: 'version', seconds: 30 });
    stage.now += 30_000;
    await wait(stage, TURN);
    // A machine that slept has not waited.
    stage.now += 3_600_000;
    await wait(stage, { ...TURN, for: 'list' });

    const { opening } = await stage.ports.ledger.read('rollout-4');
    expect(opening?.waited).toEqual({ turn: 120, version: 30, list: 0 });
  });
});

test('one that was taken back meanwhile waits no more', async () => {
  await onStage({}, async (stage) => {
    const { ledger } = stage.ports;
    await ledger.enlist(REQUEST, acceptedAt(NOW), NOW);
    const rollout = await ledger.read('rollout-4');
    const outcome = {
      outcome: 'Aborted',
      reason: 'Aborted',
      cleanup: 'none',
      message: '',
    } as const;
    await ledger.withdraw('rollout-4', outcome, NOW);

    await expect(waitToOpen(rollout, TURN, stage.ports)).rejects.toMatchObject({
      name: 'RolloutClosed',
    });
  });
});

describe('of the conditions of an opening', () => {
  const ENDING = { outcome: 'Superseded', reason: 'Overtaken', message: 'Overtaken.' } as const;
  const end: Answer = { decision: 'end', ending: ENDING };

  /** Asks conditions that answer this, and notes what happens in which order. */
  async function ask(stage: Stage, answers: readonly Answer[]) {
    const { ledger } = stage.ports;
    const happened: string[] = [];
    const saveWaiting = async (...said: Parameters<typeof ledger.saveWaiting>) => {
      happened.push(`wait for ${said[1].wait?.for}`);
      await ledger.saveWaiting(...said);
    };
    const conditions = answers.map((answer, index): Condition<object> => {
      const effect = async () => {
        happened.push(`effect ${index}`);
      };
      return {
        async ask(known: object) {
          happened.push(`ask ${index}`);
          const learnt = { [`learnt${index}`]: Object.keys(known).length };
          return { ...answer, ...(answer.decision === 'go' && { learnt }), effect };
        },
      };
    });
    await ledger.enlist(REQUEST, acceptedAt(NOW), NOW);
    const { request, wait, opening } = await ledger.read('rollout-4');
    const ports = openingPorts({ ...stage.ports, ledger: { ...ledger, saveWaiting } });
    const rollout = { request, wait, opening };
    const all = conditions.reduce((list, one) => list.with(one), startWith<typeof rollout>());
    return { happened, answer: await all.firstNotGo(rollout, ports) };
  }

  test('each is asked after the effect of the one before it, and knows what that has learnt', async () => {
    await onStage({}, async (stage) => {
      const { happened, answer } = await ask(stage, [GO, GO]);

      expect(happened).toEqual(['ask 0', 'effect 0', 'ask 1', 'effect 1']);
      expect(answer).toMatchObject({ met: { learnt0: 3, learnt1: 4 } });
    });
  });

  test('the first that says wait decides, and its effect follows when the wait is in the ledger', async () => {
    await onStage({}, async (stage) => {
      const { happened, answer } = await ask(stage, [TURN, end]);

      expect(happened).toEqual(['ask 0', 'wait for turn', 'effect 0']);
      expect(answer).toMatchObject({ next: 'wait', step: 'open', seconds: 60 });
    });
  });

  test.each<[string, Answer, unknown]>([
    [
      'refuses',
      refusal(ErrorName.StaleTrigger, 'Too late.'),
      {
        next: 'close',
        ending: { outcome: 'Refused', reason: 'StaleTrigger', message: 'Too late.' },
      },
    ],
    ['ends it', end, { next: 'close', ending: ENDING }],
  ])('the first that %s decides, and leaves nothing', async (_, first, decided) => {
    await onStage({}, async (stage) => {
      const { happened, answer } = await ask(stage, [first, TURN]);

      expect(happened).toEqual(['ask 0']);
      expect(answer).toEqual(decided);
    });
  });
});

test('a condition that has to know what none before it has learnt does not compile', () => {
  const rollout = startWith<Configured>();
  expect(rollout.with(holdsRead).with(unheld)).toBeDefined();
  // @ts-expect-error Nobody has read the holds.
  expect(rollout.with(unheld)).toBeDefined();
  // @ts-expect-error There is no plan without a list of endpoints.
  expect(rollout.with(holdsRead).with(versionKnown).with(planAgreed)).toBeDefined();
  expect(rollout.with(holdsRead).with(versionKnown).with(listRead).with(planAgreed)).toBeDefined();
});

describe('a preview', () => {
  /** Foresees what the conditions say, and notes everything that is asked of the ledger. */
  async function foreseen(
    stage: Stage,
    policy: Partial<RolloutPolicy>,
    isDead = false,
    more: Pick<PreviewPorts, 'gates'> = {},
  ) {
    const asked: string[] = [];
    const ledger = new Proxy(stage.ports.ledger, {
      get(target, name, receiver) {
        asked.push(String(name));
        return Reflect.get(target, name, receiver);
      },
    });
    const ports = { ledger, clock: stage.ports.clock, isAbandoned: async () => isDead, ...more };
    const plan = planOf([3]);
    const request = { ...REQUEST, desiredVersion: 4, plan, policy: policyOf(policy) };
    return { first: await foreseeNotGo({ request }, ports), asked };
  }

  const FROZEN = { freezes: [freeze('2026-11-20T00:00', '2026-11-21T02:00')] };
  const underWay = expect.stringMatching(/^Rollout rollout-1 of this runtime is under way/);

  test('says until when a rollout would wait for a window, without a look at the others', async () => {
    await onStage({}, async (stage) => {
      const { first, asked } = await foreseen(stage, FROZEN);

      expect(first).toMatchObject({ decision: 'wait', for: 'window', until: NOW + 7_200_000 });
      expect(asked.filter((name) => name !== 'hear')).toEqual([]);
    });
  });

  test('says that a rollout would be refused outside of the windows', async () => {
    await onStage({}, async (stage) => {
      const { first } = await foreseen(stage, { ...FROZEN, outsideWindow: 'refuse' });

      expect(first).toMatchObject({ decision: 'refuse', error: { name: 'OutsideWindow' } });
    });
  });

  test.each<[RolloutPolicy['onConflict'], object]>([
    ['refuse', { decision: 'refuse', error: { name: 'LeaseHeld', message: underWay } }],
    ['latest', { decision: 'wait', until: null, of: underWay }],
  ])('only looks who has the lease, with the policy %s', async (onConflict, answer) => {
    await onStage({}, async (stage) => {
      const { first, asked } = await foreseen(stage, { onConflict });

      expect(first).toMatchObject(answer);
      // What may hold it is only read, too.
      expect(asked.filter((name) => name !== 'hear')).toEqual(['listHeld']);
    });
  });

  describe('of an alarm that is red', () => {
    const ALARM = { probe: null, alarms: ['shop-5xx'], metrics: [], approval: null };
    const gates = gatePortsOf({ alarm: async () => ({ verdict: 'fail', detail: 'ALARM' }) });

    test('says that a rollout would be refused', async () => {
      await onStage({}, async (stage) => {
        const { first } = await foreseen(stage, { verify: ALARM }, false, { gates });

        expect(first).toMatchObject({
          decision: 'refuse',
          error: { name: 'GateRed', message: expect.stringContaining('alarm shop-5xx: ALARM.') },
        });
      });
    });

    test.each([
      ['the policy ignores it', { ...ALARM, redAtStart: 'ignore' as const }, { gates }],
      ['nobody here can ask as the rollout would', ALARM, {}],
    ])('says nothing where %s', async (_, verify, ports) => {
      await onStage({}, async (stage) => {
        // The rollout of the stage has the lease, and its process is dead.
        expect((await foreseen(stage, { verify }, true, ports)).first).toEqual(GO);
      });
    });
  });

  test('does not count a rollout whose process is dead', async () => {
    await onStage({}, async (stage) => {
      expect((await foreseen(stage, {}, true)).first).toEqual(GO);
    });
  });

  test.each([
    ['may not be over on every clock', -1, 'LeaseHeld'],
    ['is over on every clock', 0, undefined],
  ])('X10: says what a start meets, when the lease %s', async (_, sinceOverMs, error) => {
    await onStage({}, async (stage) => {
      stage.now = leaseUntil(NOW) + LEASE_TOLERANCE_MS + sinceOverMs;

      const { first } = await foreseen(stage, {});
      const request = { ...recordOf().request, endpointUrl: stage.ports.service.url };
      const other = { ...request, rolloutId: 'rollout-4' };
      const start = stage.ports.ledger.open(other, stage.now, leaseUntil(stage.now));

      expect(first.decision === 'refuse' ? first.error.name : undefined).toBe(error);
      expect(await start.then(() => undefined, errorNameOf)).toBe(error);
    });
  });
});
