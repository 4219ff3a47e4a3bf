import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { conclude, leftUndone } from '../../../lib/domain/ending/conclude.ts';
import type { JournalEntry, WriteResult } from '../../../lib/domain/endpoint/journal.ts';
import type { RolloutEvent } from '../../../lib/domain/rollout/event.ts';
import type { Cleanup, Ending } from '../../../lib/domain/rollout/outcome.ts';
import { everyEvent } from '../events/examples.ts';
import {
  line,
  planBackOf,
  planned,
  planOf,
  progressOf,
  recordOf,
  seen,
  signal,
} from '../examples.ts';

const TO_CREATE =
  ' To create a new one: "steproll agent runtime endpoint create shop --name NAME --version N".';
const ENDING: Ending = { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' };

type Stop = [endpointId: string, result: WriteResult, reason?: string];
const stops = (...entries: Stop[]): JournalEntry[] =>
  entries.map(([endpointId, ...rest]) => line('stop', endpointId, ...rest));

const old = (count: number) => ({ stops: count, back: [] });

const STOPPED = stops(['a', 'intended'], ['a', 'accepted']);

test.each([
  [[], ''],
  [[line('roll', 'a', 'rejected')], ''],
  [[line('roll', 'a', 'accepted')], ' 1 endpoint was rolled, and stays as it is.'],
  [
    [line('roll', 'a', 'accepted'), line('roll', 'b', 'unknown'), line('roll', 'a', 'accepted')],
    ' 2 endpoints were rolled, and stay as they are.',
  ],
])('an abort that leaves everything as it is says how much was rolled: %#', (journal, words) => {
  const ending = { outcome: 'Aborted', reason: 'Aborted', message: 'Aborted by ann.' } as const;
  expect(conclude(ending, recordOf(journal), old(0))).toEqual({
    ...ending,
    cleanup: 'none',
    message: `Aborted by ann.${words}`,
  });
});

test.each([
  ['Aborted', ['b']],
  ['Errored', ['a', 'b']],
] as const)(
  'a step that fails leaves of a rollout that ended as %s to go back: %j',
  (outcome, back) => {
    const plan = planOf([3], { endpoints: ['a', 'b', 'c'].map((id) => planned(id)) });
    // A runtime whose own rollout was refused was never rolled.
    const refused = { ...seen('failed', 2), refused: 'EmptyScope' };
    const progress = progressOf(0, [seen('converged'), seen('progressing'), refused]);
    const journal = ['a', 'b', 'c'].map((id) => line('roll', id, 'accepted'));
    const record = {
      ...recordOf(journal, { onFailure: { stuck: 'roll-back', bad: 'roll-back' } }),
      ...{ plan, progress },
    };
    const left = leftUndone({ outcome, reason: 'X', message: 'X' }, record, true);
    expect(left.back.map(({ endpointId }) => endpointId)).toEqual(back);
  },
);

test('a stop that the last abort asks for, and that stays called off, was not looked at', () => {
  const journal = stops(['a', 'kept', 'aborted'], ['b', 'kept', 'went-live']);
  const signals = [signal('abort'), signal('abort', { onFailure: 'stop-old' })];
  expect(conclude(ENDING, { ...recordOf(journal), signals }, old(2))).toMatchObject({
    cleanup: 'incomplete',
    message:
      'It stalled. Not stopped (the version is live there): b. Not stopped, because nobody has looked any more: 1.',
  });
});

test.each([
  ['Failed', 'UpstreamRejected', 'GateFailed', 'bad'],
  ['Errored', 'UpstreamAuth', 'GateFailed', 'bad'],
  ['Superseded', 'GaveWay', 'GateFailed', 'bad'],
  ['Aborted', 'Aborted', 'GateFailed', 'bad'],
  ['Aborted', 'ExecutionAborted', 'GateFailed', 'bad'],
  ['Aborted', 'Aborted', 'ApprovalTimedOut', undefined],
  ['Errored', 'UpstreamAuth', 'ApprovalTimedOut', undefined],
] as const)(
  '%s (%s) after a failure with %s: the kind of failure is %s',
  (outcome, reason, told, failure) => {
    const cause: Ending = { outcome: 'Failed', failure: 'bad', reason: told, message: 'No.' };
    const failing: RolloutEvent = {
      ...{ kind: 'failing', eventId: 'e', rolloutId: 'rollout-1', runtimeId: 'shop', at: 0 },
      ...{ desiredVersion: 2, message: 'No.', reason: told, failure: 'bad' },
      ...{ onFailure: 'roll-back', cause },
    };
    const ending = { outcome, reason, message: 'End.' };
    const ended = conclude(ending, { ...recordOf(), events: [failing] }, old(0));
    expect(ended.failure).toBe(failure);
  },
);

test.each([
  ['asked for', 'approval-wanted', 'bad'],
  ['not asked for', 'wave-converged', undefined],
] as const)(
  'a rejection of a wave that was %s counts, although its process died before it heard that',
  (_, kind, failure) => {
    const events = everyEvent({ rolloutId: 'rollout-1' }).filter((event) => event.kind === kind);
    const signals = [signal('reject', { wave: 0 })];
    const progress = progressOf(0, [seen('converged', 2)]);
    const ending: Ending = { outcome: 'Errored', reason: 'LeaseLost', message: 'It died.' };
    const record = { ...recordOf(), plan: planOf([1, 1]), progress, signals, events };
    expect(conclude(ending, record, old(0)).failure).toBe(failure);
  },
);

describe('the cleanup', () => {
  test.each<[string, JournalEntry[], number, Cleanup, string]>([
    ['nothing to do', [], 0, 'none', ''],
    [
      'every one stopped',
      stops(['a', 'accepted'], ['b', 'accepted']),
      2,
      'stopped',
      `Stopped: a, b.${TO_CREATE}`,
    ],
    [
      'a stop that was sent twice is one stop',
      stops(['a', 'intended'], ['a', 'unknown'], ['a', 'intended'], ['a', 'accepted']),
      1,
      'stopped',
      `Stopped: a.${TO_CREATE}`,
    ],
    [
      'one went live',
      stops(['a', 'kept', 'went-live']),
      1,
      'none',
      'Not stopped (the version is live there): a.',
    ],
    [
      'stopped by others',
      stops(['a', 'kept', 'stopped-already']),
      1,
      'none',
      'Not stopped (stopped already): a.',
    ],
    [
      'one stopped, one went live',
      stops(['a', 'accepted'], ['b', 'kept', 'went-live']),
      2,
      'stopped',
      `Stopped: a. Not stopped (the version is live there): b.${TO_CREATE}`,
    ],
    [
      'one stopped, others kept back',
      stops(
        ['a', 'accepted'],
        ['b', 'kept', 'protected'],
        ['c', 'kept', 'min-serving'],
        ['d', 'kept', 'protected'],
      ),
      4,
      'kept',
      `Stopped: a. Not stopped (protected by the policy): b, d. Not stopped (too few others serve): c.${TO_CREATE}`,
    ],
    [
      'H12: no answer',
      stops(['a', 'unknown']),
      1,
      'incomplete',
      'Asked to stop, and nobody knows whether it did: a.',
    ],
    [
      'H18: refused',
      stops(['a', 'rejected']),
      1,
      'incomplete',
      'Not stopped (the stop was refused): a.',
    ],
    [
      'sent without an answer, and refused when it was sent once more',
      stops(['a', 'intended'], ['a', 'intended'], ['a', 'rejected']),
      1,
      'incomplete',
      'Asked to stop, and nobody knows whether it did: a.',
    ],
    [
      'not sent',
      stops(['a', 'not-sent']),
      1,
      'incomplete',
      'Not stopped (the stop was refused): a.',
    ],
    [
      'died around the stop',
      stops(['a', 'intended']),
      1,
      'incomplete',
      'Asked to stop, and nobody knows whether it did: a.',
    ],
    [
      'incomplete weighs more than kept',
      stops(['a', 'kept', 'protected'], ['b', 'unknown'], ['c', 'accepted']),
      3,
      'incomplete',
      `Not stopped (protected by the policy): a. Asked to stop, and nobody knows whether it did: b. Stopped: c.${TO_CREATE}`,
    ],
  ])('%s', (_, journal, oldEndpoints, cleanup, counts) => {
    const sentence = counts === '' ? '' : ` ${counts}`;
    expect(conclude(ENDING, recordOf(journal), old(oldEndpoints))).toEqual({
      ...ENDING,
      cleanup,
      message: `It stalled.${sentence}`,
    });
  });

  test('says of a doubt what was seen, what is likely and what to look at, each once', () => {
    const journal = stops(
      ['a', 'kept', 'moved'],
      ['b', 'kept', 'never-seen-moving'],
      ['c', 'kept', 'never-seen-moving'],
    );
    expect(conclude(ENDING, recordOf(journal), old(3)).message).toBe(
      'It stalled. Not stopped (moved meanwhile, and not by this rollout): a. Somebody else may have done that, or the service. Not stopped (no list has shown the roll): b, c. The list may be an old answer, or the service may have dropped the roll: list the endpoints again in some minutes, and ask them which version they serve.',
    );
  });

  test.each<[string, JournalEntry[], string]>([
    ['a batch that never ran', [], 'Not stopped, because nobody has looked any more: 3.'],
    [
      'a batch that was cut short',
      stops(['a', 'accepted']),
      `Stopped: a. Not stopped, because nobody has looked any more: 2.${TO_CREATE}`,
    ],
    [
      'a batch that was cut short in the middle of a stop',
      stops(['a', 'kept', 'protected'], ['b', 'intended']),
      'Not stopped (protected by the policy): a. Asked to stop, and nobody knows whether it did: b. Not stopped, because nobody has looked any more: 1.',
    ],
  ])('is incomplete after %s', (_, journal, counts) => {
    expect(conclude(ENDING, recordOf(journal), old(3))).toEqual({
      ...ENDING,
      cleanup: 'incomplete',
      message: `It stalled. ${counts}`,
    });
  });

  test.each([
    ['It stalled', 'It stalled.'],
    ['It stalled.', 'It stalled.'],
    ['Why?', 'Why?'],
    ['No!', 'No!'],
    ['no answer in 10.5 s', 'no answer in 10.5 s.'],
  ])('what follows %j begins a new sentence', (message, sentence) => {
    const { message: alone } = conclude({ ...ENDING, message }, recordOf(), old(0));
    const { message: both } = conclude({ ...ENDING, message }, recordOf(STOPPED), old(1));
    expect(alone).toBe(sentence);
    expect(both).toBe(`${sentence} Stopped: a.${TO_CREATE}`);
  });

  test('what was rolled says nothing about what was stopped', () => {
    const journal = [line('roll', 'a', 'accepted'), line('roll', 'b', 'unknown')];
    expect(conclude(ENDING, recordOf(journal), old(0))).toEqual({ ...ENDING, cleanup: 'none' });
  });

  test('is never better than the journal', () => {
    const result = fc.constantFrom<WriteResult>(
      'intended',
      'accepted',
      'unknown',
      'rejected',
      'not-sent',
      'kept',
    );
    const reason = fc.constantFrom('went-live', 'stopped-already', 'moved', 'protected');
    const oneEach = fc.array(fc.tuple(result, reason), { maxLength: 6 });
    fc.assert(
      fc.property(oneEach, fc.nat(3), (rows, lost) => {
        const journal = rows.map(([what, why], index) => line('stop', `e${index}`, what, why));
        const { cleanup } = conclude(ENDING, recordOf(journal), old(rows.length + lost));
        const all = (...wanted: WriteResult[]) => rows.every(([what]) => wanted.includes(what));
        if (cleanup !== 'incomplete') expect(lost === 0 && all('accepted', 'kept')).toBe(true);
        if (cleanup === 'none') expect(all('kept')).toBe(true);
        if (cleanup === 'kept') expect(all('accepted')).toBe(false);
        if (cleanup === 'stopped') expect(rows.some(([what]) => what === 'accepted')).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a rollout that was rolled back', () => {
  const plan = planBackOf(2);
  const observations = [seen('converged', 2), seen('converged', 2)];
  const record = {
    ...recordOf(),
    rollback: { cause: ENDING, seen: [], plan },
    progress: progressOf(0, observations, { direction: 'back' }),
  };

  test('tells how far back it has got', () => {
    expect(conclude(ENDING, record, old(0))).toEqual({
      ...ENDING,
      cleanup: 'rolledBack',
      message: 'It stalled. Rolled back: 2 of 2 on their previous versions.',
    });
  });

  test.each<[string, JournalEntry[], Cleanup, string]>([
    ['one was stopped before', STOPPED, 'kept', ` Stopped: a.${TO_CREATE}`],
    [
      'the stop of one is in doubt',
      stops(['a', 'intended'], ['a', 'unknown']),
      'incomplete',
      ' Asked to stop, and nobody knows whether it did: a.',
    ],
    ['a stop was called off', stops(['a', 'kept', 'aborted']), 'rolledBack', ''],
    ['a stop was refused', stops(['a', 'intended'], ['a', 'rejected']), 'rolledBack', ''],
  ])('tells of stops that had been sent: %s', (_, journal, cleanup, words) => {
    expect(conclude(ENDING, { ...record, journal }, old(0))).toEqual({
      ...ENDING,
      cleanup,
      message: `It stalled. Rolled back: 2 of 2 on their previous versions.${words}`,
    });
  });

  test('where all that it rolled had been stopped, nothing was left to go back', () => {
    const back = planBackOf(0, { leftOut: [{ endpointId: 'a', name: null, reason: 'stopped' }] });
    const rollback = { cause: ENDING, seen: [], plan: back };
    expect(conclude(ENDING, { ...record, rollback, journal: STOPPED }, old(0))).toEqual({
      ...ENDING,
      cleanup: 'stopped',
      message: `It stalled. Stopped: a.${TO_CREATE}`,
    });
  });

  test('is incomplete while its last progress is that of the way forward', () => {
    const progress = progressOf(0, observations);
    expect(conclude(ENDING, { ...record, progress }, old(0)).cleanup).toBe('incomplete');
    expect(conclude(ENDING, { ...record, progress: null }, old(0)).cleanup).toBe('incomplete');
  });
});

test('endpoints that were lost within the failure threshold are kept as they are', () => {
  const within: Ending = {
    outcome: 'Succeeded',
    reason: 'ConvergedWithinThreshold',
    message: '9 endpoints rolled.',
  };
  expect(conclude(within, recordOf(), old(0))).toEqual({ ...within, cleanup: 'kept' });
});

test('what a fleet is like at the end is told with a few readings of the journal, however large it is', () => {
  const readings = (endpoints: number): number => {
    const { ids, ...plan } = planOf([endpoints]);
    const journal = ids.flatMap((id) => [line('roll', id, 'accepted'), line('stop', id, 'kept')]);
    let read = 0;
    const counted = new Proxy(journal, {
      get(lines, key) {
        if (key === Symbol.iterator) read += 1;
        return Reflect.get(lines, key);
      },
    });
    const progress = progressOf(
      0,
      ids.map(() => seen('failed', 2)),
    );
    conclude(ENDING, { ...recordOf(counted), plan, progress }, old(endpoints));
    return read;
  };
  expect(readings(500)).toBe(readings(5));
});
