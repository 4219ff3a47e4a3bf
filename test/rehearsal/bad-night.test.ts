import { expect, test } from '@jest/globals';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import { watchNight } from '../../lib/rehearsal/bad-night.ts';
import type { TrueEndpoint } from '../../lib/simulation/endpoint.ts';

const ROLL = { rolloutId: 'rehearsal', operation: 'roll', endpointId: 'web-1' } as const;

function endpoint(said: Partial<TrueEndpoint>): TrueEndpoint {
  return {
    id: 'web-1',
    name: 'web-1',
    version: 2,
    targetVersion: 2,
    liveVersion: 2,
    replicas: 1,
    url: null,
    status: 'ACTIVE',
    statusReason: null,
    createdAt: 0,
    changedAt: 0,
    ...said,
  };
}

/** Version 2 is bad, and shows it 30 s after it went live at 10 s. */
function watch() {
  const night = watchNight({
    statuses: DEFAULT_POLICY.statuses,
    version: 2,
    isBad: ({ liveVersion }) => liveVersion === 2,
    signOf: (_, since, now) => (since + 30_000 <= now ? since + 30_000 : null),
  });
  night.look([endpoint({ changedAt: 10_000 })], 10_000);
  return night;
}

test('a roll that is repeated is no way back', () => {
  const night = watch();
  night.look([endpoint({ changedAt: 10_000 })], 60_000);
  night.look([endpoint({ changedAt: 90_000, liveVersion: 1 })], 95_000);

  const calls = [
    { ...ROLL, version: 2, at: 45_000 },
    { ...ROLL, version: 1, at: 60_000 },
  ];
  expect(night.tell({ calls, forwardUntil: 58_000, hasFailed: true })).toEqual({
    badFor: 50,
    seenAfter: 18,
    sentBackAfter: 20,
    liveAtEnd: 0,
    isLiveThoughSeen: false,
  });
});

test('an endpoint that is taken back before its version shows that it is bad was never bad', () => {
  const night = watch();
  night.look([endpoint({ changedAt: 20_000, liveVersion: 1 })], 95_000);

  const calls = [{ ...ROLL, version: 1, at: 15_000 }];
  expect(night.tell({ calls, forwardUntil: 15_000, hasFailed: true })).toMatchObject({
    badFor: 0,
    seenAfter: null,
    sentBackAfter: null,
  });
});

test('on an endpoint that has vanished or is stopped no version is live', () => {
  const gone = watch();
  gone.look([], 60_000);
  const stopped = watch();
  stopped.look([endpoint({ changedAt: 60_000, status: 'STOPPED' })], 60_000);

  const course = { calls: [], forwardUntil: 70_000, hasFailed: true };
  expect(gone.tell(course)).toMatchObject({ liveAtEnd: 0, isLiveThoughSeen: false });
  expect(stopped.tell(course)).toMatchObject({ liveAtEnd: 0, isLiveThoughSeen: false });
});
