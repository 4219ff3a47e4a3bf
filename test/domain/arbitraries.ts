import fc from 'fast-check';
import type { Endpoint, PlannedEndpoint } from '../../lib/domain/endpoint/endpoint.ts';
import type { JournalEntry, WriteResult } from '../../lib/domain/endpoint/journal.ts';
import { ENDPOINT_STATES, type Observation } from '../../lib/domain/endpoint/observation.ts';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import type { RolloutPolicy, Selection, Wave, WaveSize } from '../../lib/domain/rollout/policy.ts';
import { DESIRED, FOREIGN, line, PREVIOUS, policyOf } from './examples.ts';

/** Few values, so that every combination that matters comes up often. */
export const version = fc.constantFrom(null, 0, 1, PREVIOUS, DESIRED, FOREIGN);
export const status = fc.constantFrom(
  null,
  'ACTIVE',
  'UPDATING',
  'WAITING_FOR_CAPACITY',
  'ZOMBIE',
  'Failed',
  'UPDATE_FAILED',
  'SERVICE_ACCOUNT_ERROR',
  'STOPPED',
  'stopping',
);

export function endpointWith(id: string): fc.Arbitrary<Endpoint> {
  return fc.record({
    id: fc.constant(id),
    name: fc.option(fc.constantFrom(id, 'web-2', 'web-10', 'shared')),
    version,
    targetVersion: version,
    liveVersion: version,
    replicas: fc.constantFrom(null, 0, 1, 4),
    url: fc.constant(null),
    status,
    statusReason: fc.constant(null),
  });
}

/** A complete list: every id once. */
export const endpointList = fc
  .uniqueArray(fc.stringMatching(/^[a-f0-9]{1,3}$/), { maxLength: 30 })
  .chain((ids) => fc.tuple(...ids.map(endpointWith)));

export function plannedWith(endpointId: string): fc.Arbitrary<PlannedEndpoint> {
  return fc.record({
    endpointId: fc.constant(endpointId),
    name: fc.constantFrom(null, endpointId),
    desiredVersion: fc.constant(DESIRED),
    previousVersion: version,
    previousTarget: version,
    wrongBefore: fc.constantFrom([], ['failed' as const]),
  });
}

export const observation: fc.Arbitrary<Observation> = fc.record(
  {
    state: fc.constantFrom(...ENDPOINT_STATES),
    reads: fc.integer({ min: 1, max: 5 }),
    hadTarget: fc.constant<true>(true),
  },
  { requiredKeys: ['state', 'reads'] },
);

/** The lines of one roll: the intention, and what came of it unless we died in between. */
export function rollOf(endpointId: string): fc.Arbitrary<JournalEntry[]> {
  const answer = fc.constantFrom<WriteResult>('accepted', 'unknown', 'rejected', 'not-sent');
  const reason = fc.constantFrom('UpstreamRejected', 'UpstreamConflict', 'UpstreamThrottled');
  return fc
    .tuple(fc.option(answer), reason)
    .map(([result, why]) => [
      line('roll', endpointId, 'intended'),
      ...(result === null ? [] : [line('roll', endpointId, result, why)]),
    ]);
}

export function rollsOf(endpointId: string): fc.Arbitrary<JournalEntry[]> {
  return fc.array(rollOf(endpointId), { maxLength: 5 }).map((each) => each.flat());
}

const namePattern = fc.constantFrom('*', 'web-*', 'web-2', 'shared', 'a*', '*1', 'nobody');

export const waveSize: fc.Arbitrary<WaveSize> = fc.oneof(
  fc.record({ endpoints: fc.integer({ min: 1, max: 200 }) }),
  fc.record({ percent: fc.integer({ min: 1, max: 100 }) }),
);

/** Rising counts, then rising shares, then everything. */
export const waveSizes: fc.Arbitrary<WaveSize[]> = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { maxLength: 4 }),
    fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { maxLength: 4 }),
  )
  .map(([counts, shares]) => [
    ...counts.toSorted((a, b) => a - b).map((endpoints) => ({ endpoints })),
    ...shares.toSorted((a, b) => a - b).map((percent) => ({ percent })),
    { percent: 100 },
  ]);

/** The same, with waves of names strewn in, and some that bake for a time of their own. */
export const waves: fc.Arbitrary<Wave[]> = waveSizes.chain((sizes) => {
  const names = fc.record({ names: fc.uniqueArray(namePattern, { minLength: 1, maxLength: 3 }) });
  const before = fc.array(names, { maxLength: 1 });
  const bake = fc.option(fc.nat(1000), { nil: undefined });
  return fc
    .tuple(...sizes.map((size) => fc.tuple(before, fc.constant(size), bake)))
    .map((each) =>
      each.flatMap(([named, size, bakeSeconds]): Wave[] => [
        ...named,
        { ...size, ...(bakeSeconds !== undefined && { bakeSeconds }) },
      ]),
    );
});

export const selection: fc.Arbitrary<Selection> = fc.record({
  names: fc.array(namePattern, { maxLength: 2 }),
  ids: fc.array(fc.stringMatching(/^[a-f0-9]$/), { maxLength: 2 }),
  exclude: fc.array(namePattern, { maxLength: 1 }),
});

export const policy: fc.Arbitrary<RolloutPolicy> = fc
  .record({
    selection: fc.oneof(fc.constant(DEFAULT_POLICY.selection), selection),
    allowDowngrade: fc.constant(true),
    waves,
    maxUnavailable: waveSize,
    minServing: fc.oneof(
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom({ endpoints: 2 }, { percent: 0 }, { percent: 50 }, { percent: 67 }),
    ),
    protect: fc.uniqueArray(fc.constantFrom('e', 'a', 'web-2', 'shared')),
  })
  .map(policyOf);
