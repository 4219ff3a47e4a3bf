import { describe, expect, test } from '@jest/globals';
import type { LogLine } from '../../../lib/domain/rollout/record.ts';
import { linesOf, logOf } from '../../../lib/telling/story/log.ts';
import { line, recordOf } from '../../domain/examples.ts';

const pause = {
  ...{ id: 'h1', kind: 'pause', scope: {}, by: 'ann', reason: 'patching', until: 99 },
} as const;
const held = (at: number, ...ids: readonly string[]): LogLine => ({
  ...{ kind: 'held', at },
  holds: ids.map((id) => ({ ...pause, id })),
});
const free = (at: number): LogLine => ({ kind: 'free', at, lifted: [] });
const alarm = (at: number, verdict: 'pass' | 'fail'): LogLine => ({
  ...{ kind: 'gate', gate: 'alarm errors', wave: 1, at, verdict, detail: '' },
});

describe('the log', () => {
  test('X11: has a line once that a step has added, died, and added again', () => {
    const lines = [
      held(1, 'h1'),
      held(3, 'h1'),
      alarm(4, 'fail'),
      alarm(5, 'fail'),
      free(6),
      free(8),
    ];

    expect(linesOf({ lines }).map(({ at }) => at)).toEqual([1, 4, 6]);
  });

  test('has each change: other holds, the same hold again, and each answer of a gate', () => {
    const lines = [held(1, 'h1'), held(2, 'h2', 'h1'), free(3), held(4, 'h1'), alarm(5, 'pass')];

    expect(linesOf({ lines })).toEqual(lines);
  });

  test('is one list in the order of time, each part in the order in which it was stored', () => {
    const record = {
      ...recordOf([
        { ...line('roll', 'web-1', 'intended'), at: 10 },
        { ...line('roll', 'web-1', 'accepted'), at: 20 },
        // The clock was set back.
        { ...line('roll', 'web-2', 'accepted'), at: 15 },
      ]),
      lines: [held(12, 'h1'), free(30)],
      signals: [{ kind: 'abort', at: 12, wave: null, by: 'ann', reason: '' }],
    };

    expect(logOf(record).map(({ kind, at }) => `${kind} ${at}`)).toEqual([
      'write 10',
      'signal 12',
      'held 12',
      'write 20',
      'write 15',
      'free 30',
    ]);
  });
});
