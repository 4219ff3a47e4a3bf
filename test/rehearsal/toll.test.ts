import { expect, test } from '@jest/globals';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import { createTollTaker } from '../../lib/rehearsal/toll.ts';
import type { TrueEndpoint } from '../../lib/simulation/endpoint.ts';

function endpoint(id: string, said: Partial<TrueEndpoint> = {}): TrueEndpoint {
  return {
    ...{ id, name: id, version: 1, targetVersion: 1, liveVersion: 1, replicas: 1 },
    ...{ url: null, status: 'ACTIVE', statusReason: null, createdAt: 0, changedAt: 0 },
    ...said,
  };
}

const FLEET = [endpoint('web-1'), endpoint('web-2'), endpoint('web-3')] as const;
const rolling = (id: string) => endpoint(id, { targetVersion: 2 });

test('what writes did since a look counts as if the whole fleet had been looked at after each of them', () => {
  const taker = createTollTaker({ statuses: DEFAULT_POLICY.statuses, restingStatus: undefined });
  const [first, second, third] = FLEET;
  taker.look(FLEET);
  taker.see(first, rolling('web-1'));
  taker.see(second, rolling('web-2'));
  taker.see(third, null);
  expect(taker.toll()).toEqual({ mostInMidRoll: 2, fewestServing: 0 });

  taker.look(FLEET);
  taker.see(first, rolling('web-1'));
  expect(taker.toll()).toEqual({ mostInMidRoll: 2, fewestServing: 0 });
});
