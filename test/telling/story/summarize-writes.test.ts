import { describe, expect, test } from '@jest/globals';
import { summarizeWrites } from '../../../lib/telling/story/wave-writes.ts';
import { line, planOf, recordOf } from '../../domain/examples.ts';
import { recordOfEnd } from '../../support/record-at.ts';

describe('the writes of each wave', () => {
  test('are counted by endpoint, with the last answer of each', () => {
    const journal = [
      line('roll', 'web-1', 'intended'),
      line('roll', 'web-1', 'unknown'),
      line('roll', 'web-1', 'intended'),
      line('roll', 'web-1', 'accepted'),
      line('roll', 'web-2', 'intended'),
      line('roll', 'web-2', 'rejected', 'UpstreamConflict'),
      line('roll', 'web-3', 'intended'),
      line('roll', 'web-3', 'rejected', 'UpstreamConflict'),
      line('stop', 'web-1', 'kept', 'min-serving'),
    ];
    expect(summarizeWrites({ plan: planOf([1, 3]), journal })).toEqual([
      {
        wave: 1,
        endpoints: 1,
        rolled: 1,
        repeated: 1,
        refused: new Map(),
        rolledBack: 0,
        stopped: 0,
        kept: new Map([['min-serving', 1]]),
      },
      {
        wave: 2,
        endpoints: 3,
        rolled: 0,
        repeated: 0,
        refused: new Map([['UpstreamConflict', 2]]),
        rolledBack: 0,
        stopped: 0,
        kept: new Map(),
      },
    ]);
  });

  test('a rollback counts in the waves that were rolled', async () => {
    const record = await recordOfEnd({
      broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }],
      policy: { onFailure: 'roll-back' },
    });
    expect(summarizeWrites(record).map(({ rolled, rolledBack }) => [rolled, rolledBack])).toEqual([
      [1, 1],
      [2, 2],
      [0, 0],
    ]);
  });

  test('without a plan there are none', () => {
    expect(summarizeWrites(recordOf())).toEqual([]);
  });
});
