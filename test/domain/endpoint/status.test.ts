import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isConverged, isFailed, isStopped } from '../../../lib/domain/endpoint/endpoint.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import { endpointWith } from '../arbitraries.ts';
import { DESIRED, endpoint, live } from '../examples.ts';

const { statuses } = DEFAULT_POLICY;

describe('the default status words', () => {
  test.each<[status: string | null, kind: 'failed' | 'stopped' | 'neither']>([
    ['ERROR', 'failed'],
    ['error', 'failed'],
    ['FAILED', 'failed'],
    ['Create_Failed', 'failed'],
    ['SERVICE_ACCOUNT_ERROR', 'failed'],
    ['STOPPED', 'stopped'],
    ['Stopping', 'stopped'],
    ['ACTIVE', 'neither'],
    ['WAITING_FOR_RUNTIME', 'neither'],
    ['waiting_for_capacity', 'neither'],
    ['ERRORS', 'neither'],
    ['UNSTOPPED', 'neither'],
    ['ZOMBIE', 'neither'],
    ['', 'neither'],
    [null, 'neither'],
  ])('H33: %j is %s', (status, kind) => {
    const said = endpoint('e', { status });
    expect(isFailed(said, statuses)).toBe(kind === 'failed');
    expect(isStopped(said, statuses)).toBe(kind === 'stopped');
  });

  test('words of an installation replace them, in any case', () => {
    const own = {
      failed: ['kaputt*'],
      stopped: [],
      serving: [],
      busy: [],
      unknown: 'wait',
    } as const;
    expect(isFailed(endpoint('e', { status: 'KAPUTT_GEGANGEN' }), own)).toBe(true);
    expect(isFailed(endpoint('e', { status: 'ERROR' }), own)).toBe(false);
    expect(isStopped(endpoint('e', { status: 'STOPPED' }), own)).toBe(false);
  });
});

describe('isConverged', () => {
  test.each<[string, Parameters<typeof live>[1], boolean]>([
    ['target = live = desired', {}, true],
    ['H33: an unknown status is not bad', { status: 'ZOMBIE' }, true],
    ['only the target is there', { liveVersion: 2 }, false],
    ['only the live version is there', { targetVersion: 2 }, false],
    ['both are still the previous version', { targetVersion: 2, liveVersion: 2 }, false],
    ['H23: no target', { targetVersion: null }, false],
    ['H23: no live version', { liveVersion: null }, false],
    ['a failed status', { status: 'UPDATE_FAILED' }, false],
    ['a stopped status', { status: 'STOPPED' }, false],
  ])('%s', (_, said, converged) => {
    expect(isConverged(live('e', said), DESIRED, statuses)).toBe(converged);
  });

  test('H23: a version that is not known equals nothing', () => {
    fc.assert(
      fc.property(endpointWith('e'), (said) => {
        fc.pre(said.targetVersion === null || said.liveVersion === null);
        expect(isConverged(said, DESIRED, statuses)).toBe(false);
      }),
    );
  });
});
