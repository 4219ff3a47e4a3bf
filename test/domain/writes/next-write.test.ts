import { describe, expect, test } from '@jest/globals';
import { NO_ATTEMPTS } from '../../../lib/domain/endpoint/attempts.ts';
import { SteprollError } from '../../../lib/domain/errors.ts';
import {
  after,
  beginWrites,
  type Next,
  type WriteAnswer,
  type Writes,
} from '../../../lib/domain/writes/next-write.ts';
import type { WriteRules, Written } from '../../../lib/domain/writes/write-rules.ts';
import { line, signal } from '../examples.ts';

const NOW = Date.UTC(2026, 10, 28);

/** Ids of the endpoints that a look shows as needing the write. */
type Look = readonly string[];

const RULES: WriteRules<Look> = {
  operation: 'roll',
  endpointIds: ['a', 'b'],
  endpointsPerLook: Number.POSITIVE_INFINITY,
  longestMs: 200_000,
  repeatsUnknown: false,
  decide: (id, _attempts, { look }) => (look.includes(id) ? 'send' : undefined),
  calledOff: ({ signals, isPaused }) => (signals.length > 0 || isPaused ? 'ToldToEnd' : undefined),
  leave: () => undefined,
};

/** Answers one after the other, each so many seconds after the begin. Answers what was to be done, and how it ends. */
function play(
  answers: readonly (readonly [seconds: number, WriteAnswer<Look>])[],
  rules: Partial<WriteRules<Look>> = {},
  isInterrupted = false,
) {
  const record = { journal: [], signals: [] };
  const timeAt = (ms: number) => ({ now: { at: NOW + ms, watched: ms }, isInterrupted });
  const begun = beginWrites({ ...RULES, ...rules }, record, timeAt(0));
  const all = [begun];
  for (const [seconds, answer] of answers) {
    all.push(after(all.at(-1) as Writes<Look>, answer, timeAt(seconds * 1000)));
  }
  return { todo: all.map(({ next }) => describeNext(next)), last: all.at(-1) as Writes<Look> };
}

function describeNext(next: Next<Look>): string {
  if (next.do === 'send') return `send ${[...next.handful.keys()].join(' ')}`;
  if (next.do === 'wait') return `wait ${next.milliseconds} ms`;
  if (next.do !== 'note') return next.do;
  const lines = next.lines.map(({ endpointId, result, reason }) =>
    [endpointId, result, reason].filter((part) => part !== undefined).join(' '),
  );
  return `note ${lines.join(', ')}`;
}

const look = (...ids: string[]): WriteAnswer<Look> => ({ to: 'look', look: ids });
const NOTED: WriteAnswer<Look> = { to: 'note' };
const WAITED: WriteAnswer<Look> = { to: 'wait' };
const hear = (
  seconds: number,
  said: { isPaused?: true; isTold?: true; pinned?: string } = {},
): WriteAnswer<Look> => ({
  to: 'hear',
  at: NOW + seconds * 1000,
  signals: said.isTold ? [signal('abort')] : [],
  ...(said.isPaused && { isPaused: true }),
  ...(said.pinned && { pinned: new Set([said.pinned]) }),
});
const sent = (...rows: Written[]): WriteAnswer<Look> => ({ to: 'send', rows });
const yes = (endpointId: string): Written => ({ endpointId, result: 'accepted' });
const no = (endpointId: string, reason: string, retryAfterSeconds?: number): Written => ({
  endpointId,
  result: 'rejected',
  reason,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});
const failed = (error: unknown): WriteAnswer<Look> => ({ to: 'failed', error });

const DECIDED = [
  [0, look('a', 'b')],
  [0, NOTED],
] as const;

describe('the writes of a batch', () => {
  test('are decided anew once somebody has pinned an endpoint of those that are about to be sent', () => {
    const decide: WriteRules<Look>['decide'] = (id, _attempts, { pinned }) =>
      pinned.has(id) ? undefined : 'send';
    const { todo } = play(
      [
        ...DECIDED,
        [0, hear(0, { pinned: 'b' })],
        [1, hear(1, { pinned: 'b' })],
        [1, look('a', 'b')],
        [1, NOTED],
        [1, hear(1, { pinned: 'b' })],
      ],
      { decide },
    );
    expect(todo).toEqual([
      ...['look', 'note a intended, b intended', 'hear', 'hear', 'look'],
      ...['note b not-sent NotNeeded', 'hear', 'send a'],
    ]);
  });

  test('rest on a look, have an intention, and are sent after the lease was proven and the signals were read', () => {
    const { todo, last } = play([
      ...DECIDED,
      [0, hear(0)],
      [1, sent(yes('a'), yes('b'))],
      [1, NOTED],
    ]);
    expect(todo).toEqual([
      'look',
      'note a intended, b intended',
      'hear',
      'send a b',
      'note a accepted, b accepted',
      'end',
    ]);
    expect([...last.results]).toEqual([
      ['a', 'accepted'],
      ['b', 'accepted'],
    ]);
  });

  test('are none where none is due, and where the run is interrupted', () => {
    expect(play([], { endpointIds: [] }).todo).toEqual(['end']);
    expect(play([], {}, true).todo).toEqual(['end']);
  });

  test('end without a look once they are called off', () => {
    expect(play([], { calledOff: () => 'Paused' }).todo).toEqual(['end']);
  });

  test.each([
    ['is told to end', hear(0, { isTold: true })],
    ['is paused', hear(0, { isPaused: true })],
  ])('are not sent when the rollout %s after the intention', (_, heard) => {
    const { todo } = play([...DECIDED, [0, heard], [0, heard], [0, NOTED]]);
    expect(todo.slice(3)).toEqual([
      'hear',
      'note a not-sent ToldToEnd, b not-sent ToldToEnd',
      'end',
    ]);
  });

  test.each([
    ['look', 10, 10],
    ['proof of the lease', 10, 0],
  ])('are decided anew when the %s is 10 s old', (_, seconds, heardAt) => {
    const { todo } = play([
      ...DECIDED,
      [seconds, hear(heardAt)],
      [seconds, hear(seconds)],
      [seconds, look('b')],
      [seconds, NOTED],
      [seconds, hear(seconds)],
    ]);
    // The intention of `b` is there already.
    expect(todo.slice(3)).toEqual(['hear', 'look', 'note a not-sent NotNeeded', 'hear', 'send b']);
  });

  test('are not sent at a clock that went back', () => {
    const { todo } = play([...DECIDED, [-1, hear(-1)]]);
    expect(todo.at(-1)).toBe('hear');
  });

  test('are sent again after a refusal that may pass, from a look on and more slowly', () => {
    const { todo, last } = play([
      ...DECIDED,
      [0, hear(0)],
      [0, sent(no('a', 'UpstreamThrottled', 3), yes('b'))],
      [0, NOTED],
      [3, WAITED],
      [3, hear(3)],
    ]);
    expect(todo.slice(4)).toEqual([
      'note a rejected UpstreamThrottled, b accepted',
      'wait 3000 ms',
      'hear',
      'look',
    ]);
    expect(last.pace).toEqual({ handful: 4, pauses: 1 });
    expect(last.attempts.get('a')?.last).toMatchObject({ retryAt: NOW + 3000 });
  });

  test('end at a refusal that the others would get, too', () => {
    const { todo } = play(
      [...DECIDED, [0, hear(0)], [0, sent(no('a', 'UpstreamAuth'))], [0, NOTED], [0, NOTED]],
      { endpointIds: ['a', 'b'] },
    );
    expect(todo.slice(4)).toEqual([
      'note a rejected UpstreamAuth',
      'note b not-sent UpstreamAuth',
      'end',
    ]);
  });

  test('wait while nobody is let in, as long as their kind does', () => {
    const rules = { endpointIds: ['a'], accessWaitMs: () => 5000 };
    const denied = new SteprollError('UpstreamAuth', 'no');
    expect(play([[0, failed(denied)]], rules).todo).toEqual(['look', 'wait 5000 ms']);
    expect(play([[0, failed(denied)]], { ...rules, longestMs: 5000 }).last.error).toBe(denied);
    expect(
      play(
        [
          [0, look('a')],
          [0, NOTED],
          [0, hear(0)],
          [0, sent(no('a', 'UpstreamAuth'))],
          [0, NOTED],
        ],
        rules,
      ).todo.at(-1),
    ).toBe('wait 5000 ms');
  });

  test('are looked for once more when they had no answer and are called off', () => {
    const rules = { endpointIds: ['a'], repeatsUnknown: true } as const;
    const { todo } = play(
      [
        [0, look('a')],
        [0, NOTED],
        [0, hear(0)],
        [0, sent({ endpointId: 'a', result: 'unknown', reason: 'OutcomeUnknown' })],
        [0, NOTED],
        [0, hear(0, { isTold: true })],
        [0, look('a')],
      ],
      rules,
    );
    expect(todo.slice(5)).toEqual(['hear', 'look', 'end']);
  });

  test('end with the error of a look that nothing came before', () => {
    const error = new SteprollError('UpstreamTimeout', 'slow');
    const { todo, last } = play([[0, failed(error)]]);
    expect(todo).toEqual(['look', 'end']);
    expect(last.error).toBe(error);
  });

  test('are left one by one when looks for one at a time fail and their kind keeps a line', () => {
    const { todo, last } = play(
      [
        [0, failed(new SteprollError('UpstreamTimeout', 'slow'))],
        [0, NOTED],
        [0, hear(0)],
      ],
      { endpointsPerLook: 1, leave: (_, { kind }) => ({ result: 'kept', reason: kind }) },
    );
    expect(todo).toEqual(['look', 'note a kept unreadable', 'hear', 'look']);
    expect(last.due).toEqual(['b']);
  });
});

describe('an error that is no answer', () => {
  const error = new SteprollError('LedgerUnavailable', 'away');

  test('takes back intentions whose writes were not sent', () => {
    const { todo, last } = play([...DECIDED, [0, failed(error)], [0, NOTED]]);
    expect(todo.slice(3)).toEqual(['note a not-sent Interrupted, b not-sent Interrupted', 'end']);
    expect(last.error).toBe(error);
  });

  test('leaves in doubt what was sent and could not be written down', () => {
    const { todo, last } = play([
      ...DECIDED,
      [0, hear(0)],
      [0, sent(yes('a'), yes('b'))],
      [0, failed(error)],
    ]);
    expect(todo.slice(4)).toEqual(['note a accepted, b accepted', 'end']);
    expect(last.attempts.get('a')).toMatchObject({ possible: 1, last: { result: 'intended' } });
  });

  test('does not keep answers from being written down that came before it', () => {
    const ids = Array.from({ length: 9 }, (_, index) => `web-${index + 1}`);
    const { todo } = play(
      [
        [0, look(...ids)],
        [0, NOTED],
        [0, hear(0)],
        [0, sent(...ids.slice(0, 8).map(yes))],
        [0, failed(error)],
      ],
      { endpointIds: ids },
    );
    expect(todo.at(-1)).toMatch(
      /^note web-1 accepted, .* web-8 accepted, web-9 not-sent Interrupted$/,
    );
  });
});

test('an intention of a process that died counts, and has no line of this run', () => {
  const { last } = play([]);
  const record = { journal: [line('roll', 'a', 'intended')], signals: [] };
  const time = { now: { at: NOW, watched: 0 }, isInterrupted: false };
  const writes = beginWrites(RULES, record, time);
  expect(writes.attempts.get('a')?.possible).toBe(1);
  expect(after(writes, look(), time).next.do).toBe('end');
  expect(last.attempts.get('a') ?? NO_ATTEMPTS).toEqual(NO_ATTEMPTS);
});
