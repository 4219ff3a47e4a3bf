import { describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import { resolveVersion } from '../../../lib/domain/planning/version.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import { endpoint, live, moving } from '../examples.ts';

const staging = (said: Partial<Endpoint> = {}) => live('ep-1', { name: 'staging', ...said });

describe('resolveVersion', () => {
  test.each<[string, Endpoint[], string]>([
    ['by its name', [endpoint('web-1'), staging()], 'staging'],
    ['by its id', [endpoint('web-1'), staging()], 'ep-1'],
    ['by what is said to be an id', [live('ep-2', { name: 'ep-1' }), staging()], 'id:ep-1'],
    ['by its id, where it has no name', [staging({ name: null })], 'ep-1'],
    ['whose target is not known', [staging({ targetVersion: null })], 'staging'],
  ])('takes the live version of an endpoint %s', (_, endpoints, name) => {
    expect(resolveVersion(endpoints, name, DEFAULT_POLICY.statuses)).toBe(3);
  });

  test.each<[string, Endpoint[], string, string]>([
    ['nobody', [endpoint('web-1')], 'staging', 'the runtime has no such endpoint'],
    ['an empty runtime', [], 'staging', 'the runtime has no such endpoint'],
    ['a pattern', [staging()], 'stag*', 'the runtime has no such endpoint'],
    [
      'two of the same name',
      [staging(), staging({ id: 'ep-2' })],
      'staging',
      '2 endpoints are called so, "id:ep-1" and "id:ep-2"',
    ],
    [
      'a name that is said to be an id',
      [staging()],
      'id:staging',
      'the runtime has no such endpoint',
    ],
    [
      'the id of one and the name of another',
      [staging(), live('ep-2', { name: 'ep-1' })],
      'ep-1',
      '2 endpoints are called so, "id:ep-1" and "id:ep-2"',
    ],
    [
      'one that is live on nothing that is known',
      [staging({ liveVersion: null })],
      'staging',
      'it has no live version',
    ],
    [
      'one that is live on nothing yet',
      [staging({ liveVersion: 0 })],
      'staging',
      'it has no live version',
    ],
    ['one that has failed', [staging({ status: 'ERROR' })], 'staging', 'its status is ERROR'],
    ['one that is stopped', [staging({ status: 'stopped' })], 'staging', 'its status is stopped'],
    [
      'one that is on its way',
      [moving('ep-1', { name: 'staging' })],
      'staging',
      'it is on its way from version 2 to 3',
    ],
  ])('takes none from %s', (_, endpoints, name, why) => {
    expect(() => resolveVersion(endpoints, name, DEFAULT_POLICY.statuses)).toThrow(
      expect.objectContaining({
        name: 'VersionUnknown',
        message: `There is no version to take from endpoint ${JSON.stringify(name)}: ${why}.`,
      }),
    );
  });
});
