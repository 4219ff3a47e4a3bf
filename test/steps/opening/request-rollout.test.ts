import { describe, expect, test } from '@jest/globals';
import { parseRolloutInput, type RolloutInput } from '../../../lib/contract/flow/rollout-input.ts';
import type { Hold } from '../../../lib/domain/holds/hold.ts';
import type { AskedRequest } from '../../../lib/domain/rollout/request.ts';
import { toAskedRequest, toInput } from '../../../lib/steps/opening/asked-request.ts';
import type { Configured } from '../../../lib/steps/opening/condition.ts';
import { opening } from '../../../lib/steps/opening/conditions.ts';
import { configured } from '../../../lib/steps/opening/configured.ts';
import { FULL_REQUEST, policyOf } from '../../domain/examples.ts';
import { NOW, onStage, openingPorts } from '../stage.ts';

const deployed = policyOf({ bakeSeconds: 60 });
const URL = 'https://endpoints.example.com';
const EXECUTION = { rolloutId: 'rollout-2', startTime: NOW };

async function request(
  said: Partial<RolloutInput>,
  of = deployed,
  unlock?: Partial<Hold>,
): Promise<Configured['request']> {
  const input = { schemaVersion: 1, runtimeId: 'shop', version: 4, ...said } as const;
  const rollout = { request: toAskedRequest(EXECUTION, input), wait: null, opening: null, input };
  return onStage({}, async ({ ports }) => {
    const about = { id: '1', by: 'ann', reason: 'fix', at: NOW, until: NOW + 3_600_000 };
    const hold: Hold = { ...about, kind: 'unlock', scope: {}, ...unlock };
    if (unlock !== undefined) await ports.ledger.addHold(hold, NOW);
    const how = openingPorts(ports, () => of);
    const answer = await opening<typeof rollout>().with(configured).firstNotGo(rollout, how);
    if ('next' in answer) {
      const { reason = '', message = '' } = ('ending' in answer && answer.ending) || {};
      throw Object.assign(new Error(message), { name: reason });
    }
    return answer.met.request;
  });
}

describe('what was asked for', () => {
  test('is recorded with what the configuration says', async () => {
    expect(await request({})).toEqual({
      rolloutId: 'rollout-2',
      endpointUrl: URL,
      runtimeId: 'shop',
      desiredVersion: 4,
      policy: deployed,
      startedBy: { kind: 'person', name: '', at: NOW },
    });
  });

  test('may be the latest version, which is asked for again as long as nobody knows it', () => {
    const asked = toAskedRequest(EXECUTION, {
      schemaVersion: 1,
      runtimeId: 'shop',
      version: 'latest',
    });
    expect(asked).toMatchObject({ desiredVersion: null });
    expect(asked).not.toHaveProperty('versionFrom');
    expect(parseRolloutInput(toInput(asked))).toMatchObject({ version: 'latest' });
    expect(toInput({ ...asked, desiredVersion: 7 })).toMatchObject({ version: 7 });
  });

  test('is refused where it is meant for another service', async () => {
    const endpointUrl = 'https://staging.example.com';
    await expect(request({ endpointUrl })).rejects.toThrow(
      `is of the service at ${endpointUrl}, and the endpoint URL here is ${URL}`,
    );
    expect(await request({ endpointUrl: URL })).toMatchObject({ endpointUrl: URL });
  });

  test('is refused where it asks less than what is locked, before anybody waits a turn', async () => {
    const locking = policyOf({ protect: ['web-1'], locked: ['protect'] });
    await expect(request({ policy: { protect: [] } }, locking)).rejects.toMatchObject({
      name: 'PolicyLocked',
      message: expect.stringContaining('protect: locked in the configuration'),
    });
    const undone = await request(
      { version: undefined, revert: 'r-1', policy: { protect: [] } },
      locking,
    );
    expect(undone.policy.protect).toEqual([]);
    expect((await request({ policy: { bakeSeconds: 0 } }, locking)).policy.bakeSeconds).toBe(0);
  });

  test('may pass locked windows and freezes only while they are unlocked', async () => {
    const freezes = [{ from: '2020-01-01T00:00', to: '2099-01-01T00:00', timeZone: 'UTC' }];
    const locking = policyOf({ freezes, protect: ['web-1'], locked: ['freezes', 'protect'] });
    const anyTime = { policy: { windows: [], freezes: [] } };
    const locked = { name: 'PolicyLocked' };

    await expect(request(anyTime, locking)).rejects.toMatchObject(locked);
    expect((await request(anyTime, locking, {})).policy.freezes).toEqual([]);
    const ofShop = { scope: { runtimeId: 'shop' } };
    expect((await request(anyTime, locking, ofShop)).policy.freezes).toEqual([]);
    const ofOther = { scope: { runtimeId: 'cart' } };
    await expect(request(anyTime, locking, ofOther)).rejects.toMatchObject(locked);
    // It lasts at most 4 hours, whatever its item says.
    const old = { at: NOW - 4 * 3_600_000 };
    await expect(request(anyTime, locking, old)).rejects.toMatchObject(locked);
    await expect(request(anyTime, locking, { kind: 'freeze' })).rejects.toMatchObject(locked);
    const more = { policy: { ...anyTime.policy, protect: [] } };
    await expect(request(more, locking, {})).rejects.toMatchObject(locked);
  });

  test('may pass locked windows of waves, too', async () => {
    const windows = [{ days: ['mon' as const], from: '09:00', to: '10:00', timeZone: 'UTC' }];
    const locking = policyOf({ waves: [{ percent: 100, windows }], locked: ['windows'] });
    const atAnyTime = { policy: { waves: [{ percent: 100 }] } };

    await expect(request(atAnyTime, locking)).rejects.toMatchObject({ name: 'PolicyLocked' });
    expect((await request(atAnyTime, locking, {})).policy.waves).toEqual([{ percent: 100 }]);
  });

  test('keeps what is known of who started it', async () => {
    const startedBy = { kind: 'release', name: 'build-41', at: NOW - 1_000 } as const;
    expect((await request({ startedBy })).startedBy).toEqual(startedBy);
  });

  test('E05: from the future is one of now: it must not pass for the newest one for ever', async () => {
    const startedBy = { kind: 'release', name: 'build-41', at: 9_007_199_254_740_991 } as const;
    expect((await request({ startedBy })).startedBy).toEqual({ ...startedBy, at: NOW });
  });

  test.each([
    ['was slow', NOW - 60_000],
    ['was ahead', NOW + 60_000],
  ])('by a person is of its start, also where the clock of their machine %s', async (_, at) => {
    const startedBy = { kind: 'person', name: 'ann', at, reason: 'calm again' } as const;
    expect((await request({ startedBy })).startedBy).toEqual({ ...startedBy, at: NOW });
  });

  test('has the plan that somebody agreed to', async () => {
    expect((await request({ plan: '0123456789abcdef' })).agreedPlan).toBe('0123456789abcdef');
  });

  test('wins over what is deployed', async () => {
    const { policy } = await request({ policy: { bakeSeconds: 0 } });
    expect(policy).toEqual({ ...deployed, bakeSeconds: 0 });
  });

  test('InvalidInput: has no policy that does not fit together', async () => {
    const policy = { pollSeconds: 60, progressDeadlineSeconds: 30 };
    await expect(request({ policy })).rejects.toMatchObject({ name: 'InvalidInput' });
  });

  // What is in quarantine is looked up once more.
  const { versionFrom, revert, versions, passedOver: _, ...withVersion } = FULL_REQUEST;
  const ofGroup = { ...withVersion, runtimeId: 'group:prod' };

  test.each<[string, AskedRequest]>([
    ['a version', { ...withVersion, desiredVersion: 4 }],
    ['the version of an endpoint', { ...withVersion, versionFrom }],
    ['what was there before a rollout', { ...withVersion, revert }],
    ['versions of their own', { ...ofGroup, versions }],
  ])('can be asked for again with all its fields, for %s', (_, asked) => {
    const again = parseRolloutInput(toInput(asked));

    // The configuration decides on the policy once more.
    expect(toAskedRequest(EXECUTION, again)).toEqual({ ...asked, policy: null });
  });
});
