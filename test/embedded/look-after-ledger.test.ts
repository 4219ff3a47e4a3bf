import { describe, expect, test } from '@jest/globals';
import { startClock } from '../../lib/domain/clock.ts';
import { describeDuration } from '../../lib/domain/durations.ts';
import { planRollout } from '../../lib/domain/planning/plan-rollout.ts';
import type { Lease } from '../../lib/domain/rollout/lease.ts';
import type { AskedRequest, RolloutRequest, StartedBy } from '../../lib/domain/rollout/request.ts';
import type { Wait } from '../../lib/domain/rollout/wait.ts';
import { beginWave } from '../../lib/domain/wave/progress.ts';
import { createCaretaker } from '../../lib/embedded/caretaker.ts';
import { beginWith } from '../support/begin-with.ts';
import { notBegun } from '../support/not-begun.ts';
import { onHostStage, triggered } from './host-stage.ts';

/** A rollout that was opened and then left, as if its process had died. */
async function leave(
  { context: { ledger, policyOf, clock, service }, look }: Pick<Stage, 'context' | 'look'>,
  said: Partial<RolloutRequest> = {},
): Promise<Lease> {
  const now = clock.now();
  const request: RolloutRequest = {
    rolloutId: 'release-1',
    endpointUrl: service.url,
    runtimeId: 'shop',
    desiredVersion: 2,
    policy: policyOf('shop'),
    startedBy: { kind: 'release', name: 'build-2', at: now },
    ...said,
  };
  const plan = planRollout(look(), request, request.policy, service.abilities);
  const progress = beginWave(plan, 0, startClock(now));
  return ledger.open(request, now, now + 1000, beginWith(plan, progress));
}

type StarterKind = StartedBy['kind'];
type Stage = Parameters<Parameters<typeof onHostStage>[1]>[0];

function createCare({ context, isAbandoned, log, createHost }: Stage) {
  const host = createHost();
  const rules = { runtimes: ['shop', 'cart'], groups: ['prod'], maxAgeSeconds: 900 };
  const schedules = [{ name: 'nightly', catchUpSeconds: 7200 }, { name: 'hourly' }];
  const care = createCaretaker({
    ...{ context, host, rules, schedules, isAbandoned },
    log: (line) => log.push(line),
  });
  return { host, care };
}

describe('a rollout that a dead process has left open', () => {
  test('of a trigger goes on here, to its end, and only once', async () => {
    await onHostStage({}, async (stage) => {
      await leave(stage);
      const { care } = createCare(stage);
      await care();
      await care();
      await stage.logged('Succeeded');
      await care();
      expect(stage.liveVersions('shop')).toEqual([2, 2, 2]);
      expect(stage.log).toEqual([
        'Rollout release-1 of shop: was left open, and goes on here',
        expect.stringContaining('Succeeded'),
      ]);
    });
  });

  test('goes on with the policy that it was started with', async () => {
    await onHostStage({}, async (stage) => {
      const selection = { names: ['endpoint-02'], ids: [], exclude: [] };
      await leave(stage, { policy: { ...stage.context.policyOf('shop'), selection } });
      const { care } = createCare(stage);
      await care();
      await stage.logged('Succeeded');
      expect(stage.liveVersions('shop')).toEqual([1, 2, 1]);
    });
  });

  test.each<[string, Partial<RolloutRequest>]>([
    ['that a person started', { startedBy: { kind: 'person', name: 'ann', at: 0 } }],
    ['of a runtime that is not in the configuration', { runtimeId: 'shelf' }],
    ['of the same runtime at another service', { endpointUrl: 'https://staging.example.com' }],
  ])(
    '%s is left alone, and said once, and not before its process seems to be dead',
    async (_, said) => {
      await onHostStage({}, async (stage) => {
        const { runtimeId } = await leave(stage, said);
        const { care, host } = createCare(stage);
        await care();
        await stage.sleep(60);
        await care();
        expect(stage.log).toEqual([]);
        await stage.sleep(1);
        await care();
        await care();
        expect(host.isRunning('release-1')).toBe(false);
        expect(stage.log).toEqual([
          `Rollout release-1 of ${runtimeId} has not ended, and its process seems to be dead. It is not this listener's. To go on with it: steproll rollout resume release-1`,
        ]);
        expect(stage.calls).toEqual([]);
      });
    },
  );
});

describe('a rollout that was accepted, and whose process is gone before it began', () => {
  type Asked = Partial<Pick<AskedRequest, 'startedBy' | 'runtimeId'>>;

  /** Accepted by a process that is gone, so many seconds ago. */
  async function orphan(stage: Stage, seconds: number, said: Asked, waits: Partial<Wait> = {}) {
    const { ledger, clock, service } = stage.context;
    const acceptedBy = clock.now();
    const asked: AskedRequest = {
      rolloutId: 'release-1',
      endpointUrl: service.url,
      runtimeId: 'shop',
      desiredVersion: 2,
      policy: null,
      startedBy: by('release', 'build-2'),
      ...said,
    };
    await ledger.enlist(asked, notBegun(acceptedBy, waits), acceptedBy);
    await stage.sleep(seconds);
  }

  const by = (kind: StarterKind, name: string) => ({ kind, name, at: 0 }) as const;

  test.each<[string, Asked, Partial<Wait>, number]>([
    ['a release, after a quarter of an hour', { startedBy: by('release', 'a') }, {}, 900],
    [
      'a schedule, as long as it is made up for',
      { startedBy: by('schedule', 'nightly') },
      {},
      7200,
    ],
    ['a schedule that does not say how long', { startedBy: by('schedule', 'hourly') }, {}, 3600],
    ['one that is not in the configuration', { startedBy: by('schedule', 'gone') }, {}, 3600],
    ['one that waits for its turn, whatever its age', {}, { for: 'turn' }, 90_000],
  ])('E10: %s: goes on here', async (_, said, waits, seconds) => {
    await onHostStage({}, async (stage) => {
      await orphan(stage, seconds, said, waits);
      const { care } = createCare(stage);
      await care();
      await stage.logged('Succeeded');
      expect(stage.liveVersions('shop')).toEqual([2, 2, 2]);
      expect(stage.log[0]).toBe('Rollout release-1 of shop: was accepted before, and goes on here');
    });
  });

  test.each<[string, Asked, number]>([
    ['a release', { startedBy: by('release', 'a') }, 900],
    ['a schedule that says how long', { startedBy: by('schedule', 'nightly') }, 7200],
    ['a schedule that does not', { startedBy: by('schedule', 'hourly') }, 3600],
  ])('E10: %s that is a second older is let go of, and that is told', async (_, said, patience) => {
    await onHostStage({}, async (stage) => {
      await orphan(stage, patience + 1, said);
      const { care } = createCare(stage);
      await care();
      await care();
      expect((await stage.context.ledger.read('release-1')).outcome).toEqual({
        outcome: 'Refused',
        cleanup: 'none',
        reason: 'StaleTrigger',
        tell: true,
        message: `Nothing was rolled: it was to be looked at ${describeDuration((patience + 1) * 1000)} ago and no listener ran, and after ${describeDuration(patience * 1000)} it starts nothing.`,
      });
      expect(stage.told).toEqual(['release-1 Rollout Ended']);
      expect(stage.log).toHaveLength(1);
      expect(stage.calls).toEqual([]);
    });
  });

  test.each<[string, Asked]>([
    ['of a person', { startedBy: by('person', 'ann') }],
    ['of a runtime that is not in the configuration', { runtimeId: 'shelf' }],
  ])('%s is left to them', async (_, said) => {
    await onHostStage({}, async (stage) => {
      await orphan(stage, 90_000, said);
      const { care } = createCare(stage);
      await care();
      expect((await stage.context.ledger.read('release-1')).outcome).toBeNull();
      expect(stage.log).toEqual([]);
    });
  });
});

test('L06: a rollout whose process is alive is left to it, and nothing is said of it', async () => {
  await onHostStage({}, async (stage) => {
    await leave(stage);
    const { ledger } = stage.context;
    const held = { ...stage.context, ledger: { ...ledger, open: alive } };
    const { care, host } = createCare({ ...stage, context: held });
    await care();
    await care();
    expect(host.isRunning('release-1')).toBe(false);
    expect(stage.log).toEqual([]);
  });
});

test('a rollout that runs here is left alone', async () => {
  await onHostStage({}, async (stage) => {
    const { care, host } = createCare(stage);
    await host.start('release-1', triggered('shop', 2));
    await stage.sleep(5);
    await care();
    await stage.logged('Succeeded');
    expect(stage.log).toHaveLength(2);
  });
});

test('what a dead process did not tell is told, once a step would have told it itself', async () => {
  await onHostStage({}, async (stage) => {
    await leave(stage);
    const { ledger } = stage.context;
    const outcome = {
      outcome: 'Failed',
      reason: 'Stalled',
      cleanup: 'none',
      message: '.',
    } as const;
    await ledger.close('release-1', outcome, Date.now());
    const { care } = createCare(stage);
    await care();
    expect(stage.told).toEqual([]);
    await stage.sleep(61);
    await care();
    await care();
    expect(stage.told).toEqual(['release-1 Rollout Ended']);
  });
});

test('a ledger that cannot be read is said, and tried again', async () => {
  await onHostStage({}, async (stage) => {
    await leave(stage);
    const { ledger } = stage.context;
    let isDown = true;
    const listHeld = () => (isDown ? Promise.reject(new Error('locked')) : ledger.listHeld());
    const context = { ...stage.context, ledger: { ...ledger, listHeld } };
    const { care, host } = createCare({ ...stage, context });
    await care();
    isDown = false;
    await care();
    expect(stage.log[0]).toBe('Error: locked');
    expect(host.isRunning('release-1')).toBe(true);
    await host.stop();
  });
});

function alive(): Promise<never> {
  const error = new Error('It is alive.');
  return Promise.reject(Object.assign(error, { name: 'LeaseHeld' }));
}

describe('with a history of so many days', () => {
  test('a rollout that ended before is removed, unless one that began before its end is under way', async () => {
    await onHostStage({}, async (stage) => {
      const { ledger, clock } = stage.context;
      const forgotten: number[] = [];
      const care = createCaretaker({
        context: stage.context,
        host: stage.createHost(),
        rules: { runtimes: [], groups: [], maxAgeSeconds: 900 },
        schedules: [],
        isAbandoned: async () => false,
        log: () => undefined,
        history: { days: 7, forget: async (before) => void forgotten.push(before) },
      });
      const start = clock.now();
      await care();
      await leave(stage);
      await stage.sleep(3 * DAY_SECONDS);
      await care();
      await stage.sleep(6 * DAY_SECONDS);
      await care();
      const ended = {
        outcome: 'Aborted',
        cleanup: 'none',
        reason: 'Aborted',
        message: '',
      } as const;
      await ledger.close('release-1', ended, clock.now());
      await care();

      const days = (count: number) => start + count * DAY_SECONDS * 1000;
      expect(forgotten).toEqual([days(-7), days(3 - 7), days(0), days(9 - 7)]);
    });
  });
});

const DAY_SECONDS = 24 * 3600;
