import { describe, expect, test } from '@jest/globals';
import { groupWrites } from '../../../lib/telling/story/write-groups.ts';
import { line, planOf, recordOf } from '../../domain/examples.ts';
import { recordOfEnd } from '../../support/record-at.ts';

const plan = planOf([1, 2]);

describe('writes in groups', () => {
  test('those that follow one another and were answered alike are one, wave by wave', () => {
    const journal = ['web-1', 'web-2', 'web-3'].flatMap((id) => [
      line('roll', id, 'intended'),
      line('roll', id, 'accepted', id === 'web-3' ? 'target-taken' : undefined),
    ]);
    expect(groupWrites({ ...recordOf(journal), plan })).toMatchObject([
      { wave: 1, waves: 2, version: 3, result: 'accepted', names: ['web-1'], times: 1 },
      { wave: 2, names: ['web-2', 'web-3'], times: 2, isRepeat: false },
    ]);
  });

  test('what was rolled later is told of later', () => {
    const journal = [
      line('roll', 'web-2', 'accepted'),
      { ...line('roll', 'web-3', 'accepted'), at: 4_000 },
    ];
    expect(groupWrites({ ...recordOf(journal), plan })).toMatchObject([
      { at: 0, names: ['web-2'] },
      { at: 4_000, names: ['web-3'] },
    ]);
  });

  test('one endpoint that is still busy is told of once, also by who tells line by line', () => {
    const refused = [
      line('roll', 'web-1', 'intended'),
      line('roll', 'web-1', 'rejected', 'UpstreamConflict'),
    ];
    const journal = [...refused, ...refused, ...refused];
    const record = { ...recordOf(journal), plan };
    expect(groupWrites(record)).toMatchObject([{ names: ['web-1'], times: 1 }]);
    expect(groupWrites(record, 2)).toEqual([]);
    const again = [...refused, line('roll', 'web-1', 'accepted'), ...refused];
    expect(groupWrites({ ...recordOf(again), plan })).toHaveLength(3);
  });

  test('one endpoint that was refused again and again is named once, and counted', () => {
    const refused = [
      line('roll', 'web-1', 'intended'),
      line('roll', 'web-1', 'rejected', 'UpstreamNotFound'),
    ];
    const journal = [...refused, ...refused, line('roll', 'web-1', 'not-sent', 'UpstreamAuth')];
    expect(groupWrites({ ...recordOf(journal), plan })).toMatchObject([
      { result: 'rejected', reason: 'UpstreamNotFound', names: ['web-1'], times: 2 },
    ]);
  });

  test('a roll after one that may have been made is a repeat; after a clear no it is not', () => {
    const intended = line('roll', 'web-1', 'intended');
    const accepted = line('roll', 'web-1', 'accepted');
    const repeatsAfter = (result: 'unknown' | 'rejected') =>
      groupWrites({
        ...recordOf([intended, line('roll', 'web-1', result), intended, accepted]),
        plan,
      }).map(({ isRepeat }) => isRepeat);
    expect(repeatsAfter('unknown')).toEqual([false, true]);
    expect(repeatsAfter('rejected')).toEqual([false, false]);
  });

  test('from a line on, only what follows is told, and it knows what was before', () => {
    const journal = [
      line('roll', 'web-1', 'intended'),
      line('roll', 'web-1', 'unknown'),
      line('roll', 'web-1', 'intended'),
      line('roll', 'web-1', 'accepted'),
    ];
    expect(groupWrites({ ...recordOf(journal), plan }, 3)).toMatchObject([
      { result: 'accepted', isRepeat: true },
    ]);
  });

  test('a real rollback names the versions that it goes back to', async () => {
    const record = await recordOfEnd({
      broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }],
      policy: { onFailure: 'roll-back' },
    });
    expect(
      groupWrites(record).map(({ operation, wave, version, names }) => [
        operation,
        wave,
        version,
        names.length,
      ]),
    ).toEqual([
      ['roll', 1, 2, 1],
      ['roll', 2, 2, 2],
      ['roll-back', 1, 1, 3],
    ]);
  });
});
