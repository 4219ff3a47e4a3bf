import { expect, test } from '@jest/globals';
import { subjectOf } from '../../../lib/adapters/lambda/telemetry.ts';

test.each([
  ['of a pipeline', { runtimeId: 'shop', endpointIds: ['a'] }, { runtimeId: 'shop' }],
  [
    'that opens a rollout',
    { rolloutId: 'r', input: { runtimeId: 'shop', version: 2 } },
    { runtimeId: 'shop', rolloutId: 'r' },
  ],
  [
    'with a position',
    { position: { rolloutId: 'r', runtimeId: 'shop', wave: 0 } },
    { runtimeId: 'shop', rolloutId: 'r' },
  ],
  [
    'with a batch',
    { batch: { rolloutId: 'r', runtimeId: 'shop', from: 0 } },
    { runtimeId: 'shop', rolloutId: 'r' },
  ],
  ['that closes a rollout', { rolloutId: 'r', state: {} }, { rolloutId: 'r' }],
])('an event %s', (_, event, subject) => {
  expect(subjectOf(event)).toEqual(subject);
});

test.each([
  null,
  undefined,
  'shop',
  7,
  [],
  {},
  { runtimeId: 7 },
  { runtimeId: { token: 'x' } },
  { runtimeId: 'x'.repeat(257) },
  { input: null, position: 'x', batch: [] },
  Object.create({ runtimeId: 'inherited' }),
])('nothing that is no id: %j', (event) => {
  expect(subjectOf(event)).toEqual({});
});
