import { describe, expect, test } from '@jest/globals';
import { NO_ATTEMPTS } from '../../../lib/domain/endpoint/attempts.ts';
import type { JournalEntry, WriteResult } from '../../../lib/domain/endpoint/journal.ts';
import {
  ANSWER_UNREADABLE,
  findLockout,
  hasNotStarted,
  isAnyTaken,
  isOverdue,
  isRefused,
  mayRepeat,
  nextTry,
  rollHistories,
  wasSent,
} from '../../../lib/domain/endpoint/rolls.ts';
import { line, rolls, tries } from '../examples.ts';

/** How long a roll may take to show, in milliseconds; the rolls of these examples are of time 0. */
const REGISTERING_MS = 60_000;

describe('rollHistories', () => {
  test('keeps the rolls of each endpoint apart, and the stops out', () => {
    const histories = rollHistories(
      [
        line('roll', 'a', 'intended'),
        line('roll', 'b', 'intended'),
        line('roll', 'a', 'rejected', 'UpstreamConflict'),
        line('stop', 'a', 'accepted'),
        line('roll', 'b', 'accepted'),
        line('stop', 'c', 'kept', 'went-live'),
      ],
      'forward',
    );
    expect([...histories.keys()]).toEqual(['a', 'b']);
    expect(histories.get('a')).toMatchObject({ last: { result: 'rejected' }, refusals: 1 });
    expect(histories.get('b')).toMatchObject({ last: { result: 'accepted' }, refusals: 0 });
  });

  test('keeps the way back apart from the way forward', () => {
    const journal = [
      line('roll', 'a', 'accepted'),
      line('roll-back', 'a', 'rejected', 'UpstreamConflict'),
      line('roll-back', 'b', 'intended'),
    ];
    const forward = rollHistories(journal, 'forward');
    expect([...forward.keys()]).toEqual(['a']);
    expect(forward.get('a')).toMatchObject({ last: { result: 'accepted' }, refusals: 0 });
    const back = rollHistories(journal, 'back');
    expect([...back.keys()]).toEqual(['a', 'b']);
    expect(back.get('a')).toMatchObject({ last: { result: 'rejected' }, refusals: 1 });
  });

  test('what was meant and not sent does not count as sent', () => {
    expect(rolls('intended', 'not-sent').sent).toBe(0);
    expect(rolls('intended', 'unknown', 'intended', 'not-sent').sent).toBe(1);
  });

  test('counts every refusal, whatever came in between', () => {
    expect(rolls('rejected', 'intended', 'not-sent', 'rejected').refusals).toBe(2);
  });

  test('H14: being throttled is no refusal', () => {
    const history = rolls(
      ['rejected', 'UpstreamThrottled'],
      ['rejected', 'UpstreamConflict'],
      ['rejected', 'UpstreamTransient'],
    );
    expect(history.refusals).toBe(1);
  });

  test.each<[string, WriteResult[], number]>([
    ['nothing', [], 0],
    ['A01: an intention', ['intended'], 1],
    ['one that was taken', ['intended', 'accepted'], 1],
    ['H11: one without an answer', ['intended', 'unknown'], 1],
    ['one that was refused', ['intended', 'rejected'], 0],
    ['one that was not sent', ['intended', 'not-sent'], 0],
    ['one that was found out later', ['intended', 'unknown', 'accepted'], 1],
    ['two', ['intended', 'unknown', 'intended', 'accepted'], 2],
    ['one before a refusal', ['intended', 'accepted', 'intended', 'rejected'], 1],
  ])(
    'invariant 12: counts the rolls that may have been carried out: %s',
    (_, results, possible) => {
      expect(rolls(...results).possible).toBe(possible);
    },
  );
});

describe('wasSent', () => {
  test.each<[WriteResult, boolean]>([
    ['intended', true],
    ['accepted', true],
    ['unknown', true],
    ['rejected', false],
    ['not-sent', false],
  ])('after %s: %j', (result, sent) => {
    expect(wasSent(rolls(result))).toBe(sent);
  });

  test('nothing in the journal is nothing sent', () => {
    expect(wasSent(NO_ATTEMPTS)).toBe(false);
  });

  test('the last line counts', () => {
    expect(wasSent(rolls('intended', 'rejected'))).toBe(false);
    expect(wasSent(rolls('rejected', 'intended'))).toBe(true);
  });
});

describe('isOverdue', () => {
  test.each<[string, (WriteResult | [WriteResult, string])[], boolean]>([
    ['H08: accepted', ['intended', 'accepted'], true],
    ['H11: without an answer', ['intended', 'unknown'], true],
    ['A01: died around it', ['intended'], true],
    ['made once more', ['intended', 'accepted', 'intended', 'accepted'], false],
    ['made once more, without an answer', ['intended', 'unknown', 'intended', 'unknown'], false],
    ['died around it twice', ['intended', 'intended'], false],
    [
      'H09: busy the second time',
      ['intended', 'unknown', 'intended', ['rejected', 'UpstreamConflict']],
      true,
    ],
    [
      'H20: refused for good the second time',
      ['intended', 'unknown', 'intended', ['rejected', 'UpstreamRejected']],
      false,
    ],
    ['never made', [], false],
  ])('after a minute, %s: %#', (_, results, isLate) => {
    expect(isOverdue(rolls(...results), REGISTERING_MS)).toBe(isLate);
    expect(isOverdue(rolls(...results), REGISTERING_MS - 1)).toBe(false);
  });
});

describe('hasNotStarted', () => {
  test.each<[string, (WriteResult | [WriteResult, string])[], boolean]>([
    ['made twice', ['intended', 'accepted', 'intended', 'accepted'], true],
    ['made twice, without an answer', ['intended', 'unknown', 'intended', 'unknown'], true],
    ['died around it twice', ['intended', 'intended'], true],
    ['made once', ['intended', 'accepted'], false],
    [
      'busy the second time',
      ['intended', 'accepted', 'intended', ['rejected', 'UpstreamConflict']],
      false,
    ],
    [
      'H20: refused for good the second time',
      ['intended', 'unknown', 'intended', ['rejected', 'UpstreamRejected']],
      true,
    ],
    [
      'taken the second time',
      ['intended', 'unknown', 'intended', ['accepted', 'target-taken']],
      false,
    ],
    ['never made', [], false],
  ])('H08: a minute later, %s: %#', (_, results, isDead) => {
    expect(hasNotStarted(rolls(...results), REGISTERING_MS)).toBe(isDead);
    expect(hasNotStarted(rolls(...results), REGISTERING_MS - 1)).toBe(false);
  });
});

describe('isRefused', () => {
  test.each<[string | undefined, boolean]>([
    ['UpstreamConflict', false],
    ['UpstreamNotFound', false],
    ['UpstreamThrottled', false],
    ['UpstreamTimeout', false],
    ['UpstreamTransient', false],
    ['UpstreamRejected', true],
    ['UpstreamAuth', false],
    ['UpstreamProtocol', false],
    ['UpstreamRedirect', true],
    ['InvalidEndpointId', true],
    [undefined, true],
  ])('once, with %s: %j', (reason, isForGood) => {
    const history = rolls(reason === undefined ? 'rejected' : ['rejected', reason]);
    expect(isRefused(history)).toBe(isForGood);
  });

  test.each<[string, number, boolean]>([
    ['UpstreamConflict', 50, false],
    ['UpstreamNotFound', 4, false],
    ['UpstreamNotFound', 5, true],
    ['UpstreamThrottled', 50, false],
    ['UpstreamTimeout', 50, false],
    ['UpstreamTransient', 50, false],
  ])('H09, H14: with %s, %i times: %j', (reason, times, isForGood) => {
    const refusals = Array.from({ length: times }, (): [WriteResult, string] => [
      'rejected',
      reason,
    ]);
    expect(isRefused(rolls(...refusals))).toBe(isForGood);
  });

  test('only the newest roll counts', () => {
    expect(isRefused(rolls(['rejected', 'UpstreamRejected'], 'intended'))).toBe(false);
    expect(isRefused(NO_ATTEMPTS)).toBe(false);
  });
});

test.each<[string, JournalEntry[], boolean]>([
  ['nothing was rolled', [], false],
  ['no answer came', [line('roll', 'a', 'intended'), line('roll', 'a', 'unknown')], false],
  ['every roll was refused', [line('roll', 'a', 'rejected')], false],
  ['only a stop was taken', [line('stop', 'a', 'accepted')], false],
  ['one was taken', [line('roll', 'a', 'accepted'), line('roll', 'b', 'rejected')], true],
])('H20: whether the service has taken a roll when %s: %#', (_, journal, isAccepted) => {
  expect(isAnyTaken(journal, () => true)).toBe(isAccepted);
});

test('a yes that cannot be read counts once the list has shown the target of that endpoint', () => {
  const journal = [line('roll', 'a', 'unknown', ANSWER_UNREADABLE)];
  expect(isAnyTaken(journal, (id) => id === 'a')).toBe(true);
  expect(isAnyTaken(journal, (id) => id === 'b')).toBe(false);
  expect(isAnyTaken([line('roll', 'a', 'unknown')], () => true)).toBe(false);
});

test.each<[string, JournalEntry[], number | undefined]>([
  ['nothing was rolled', [], undefined],
  [
    'the service says anything else',
    [line('roll', 'a', 'rejected', 'UpstreamConflict')],
    undefined,
  ],
  ['nobody is let in', [line('roll', 'a', 'accepted'), ...lockedOut()], 1],
  ['the secret cannot be read', [line('roll', 'a', 'rejected', 'SecretUnavailable')], 0],
  ['nobody is let in on the way back', [line('roll-back', 'a', 'rejected', 'UpstreamAuth')], 0],
  ['only a stop is refused', [line('stop', 'a', 'rejected', 'UpstreamAuth')], undefined],
  ['one was taken after that', [...lockedOut(), line('roll', 'c', 'accepted')], undefined],
  ['one got no answer after that', [...lockedOut(), line('roll', 'c', 'unknown')], undefined],
])('H18: since when nobody is let in when %s: %#', (_, journal, index) => {
  expect(findLockout(journal)).toBe(index === undefined ? undefined : journal[index]);
});

function lockedOut(): JournalEntry[] {
  return [
    line('roll', 'a', 'rejected', 'UpstreamAuth', 'PUT /a: 401'),
    line('roll', 'b', 'not-sent', 'UpstreamAuth'),
    line('roll', 'a', 'intended'),
    line('roll', 'a', 'rejected', 'UpstreamAuth', 'PUT /a: 401'),
  ];
}

test('a refused second roll does not take the first one back', () => {
  const history = rolls('intended', 'unknown', 'intended', ['rejected', 'UpstreamRejected']);
  expect(wasSent(history)).toBe(true);
  expect(isRefused(history)).toBe(false);
});

describe('a roll that the service carries out only once, however often it is sent', () => {
  test.each<[string, string[], { possible: number; may: boolean; next: number }]>([
    ['was not sent yet', [], { possible: 0, may: false, next: 1 }],
    ['A01: may have been sent', ['1 intended'], { possible: 1, may: true, next: 1 }],
    ['H11: had no answer', ['1 intended', '1 unknown'], { possible: 1, may: true, next: 1 }],
    [
      'H11: had no answer three times',
      ['1 intended', '1 unknown', '1 intended', '1 unknown', '1 intended', '1 unknown'],
      { possible: 1, may: true, next: 1 },
    ],
    [
      'was taken when it was sent again',
      ['1 intended', '1 unknown', '1 intended', '1 accepted'],
      { possible: 1, may: false, next: 2 },
    ],
    [
      'was surely not carried out',
      ['1 intended', '1 rejected UpstreamThrottled'],
      { possible: 0, may: false, next: 2 },
    ],
    [
      'was throttled when it was sent again: the first one may still arrive',
      ['1 intended', '1 unknown', '1 intended', '1 rejected UpstreamThrottled'],
      { possible: 1, may: true, next: 1 },
    ],
    [
      'was refused for good when it was sent again',
      ['1 intended', '1 unknown', '1 intended', '1 rejected UpstreamRejected'],
      { possible: 1, may: false, next: 1 },
    ],
    [
      'X03: was refused, and is then sent by a step that had counted its tries before',
      ['1 intended', '1 rejected UpstreamThrottled', '1 intended'],
      { possible: 1, may: true, next: 1 },
    ],
    [
      'was lost although it was taken, so another try was made',
      ['1 intended', '1 accepted', '2 intended', '2 unknown'],
      { possible: 2, may: true, next: 2 },
    ],
  ])('%s', (_, said, { possible, may, next }) => {
    const history = tries(...said);
    expect(history.possible).toBe(possible);
    expect(mayRepeat(history)).toBe(may);
    expect(nextTry(history)).toBe(next);
  });

  test('nobody else may send a roll in doubt again at once', () => {
    expect(mayRepeat(rolls('intended', 'unknown'))).toBe(false);
    expect(mayRepeat(rolls('intended'))).toBe(false);
  });

  test('tries are counted from 1, also after a roll that was sent without a number', () => {
    expect(nextTry(rolls('intended', 'unknown'))).toBe(1);
  });
});
