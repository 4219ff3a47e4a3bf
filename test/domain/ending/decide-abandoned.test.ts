import { describe, expect, test } from '@jest/globals';
import { decideAbandoned } from '../../../lib/domain/ending/abandoned.ts';
import type { DeadExecution } from '../../../lib/domain/ending/execution.ts';
import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { everyEvent } from '../events/examples.ts';
import { line, planBackOf, planOf, progressOf, recordOf, seen, signal } from '../examples.ts';

const OUTCOME: Outcome = {
  outcome: 'Failed',
  cleanup: 'stopped',
  reason: 'Stalled',
  message: 'It stalled.',
};

/** Two waves of two; the second was under way, and one of its endpoints had arrived. */
const UNDER_WAY: RolloutRecord = {
  ...recordOf(['web-1', 'web-2', 'web-3', 'web-4'].map((id) => line('roll', id, 'accepted'))),
  plan: planOf([2, 2]),
  progress: progressOf(1, [
    seen('converged', 2),
    seen('converged', 2),
    seen('converged', 2),
    seen('progressing'),
  ]),
};

describe('the outcome', () => {
  test.each<[string, DeadExecution, Partial<Outcome>, string]>([
    [
      'A08: stopped from outside',
      { status: 'ABORTED' },
      { outcome: 'Aborted', reason: 'ExecutionAborted' },
      'The execution was stopped from outside.',
    ],
    [
      'A07: ran into its time limit',
      { status: 'TIMED_OUT' },
      { outcome: 'Errored', reason: 'TimedOut' },
      'The execution ran into its time limit.',
    ],
    [
      'A05: States.Runtime in any state',
      { status: 'FAILED', error: 'States.Runtime' },
      { outcome: 'Errored', reason: 'ExecutionFailed' },
      'The execution failed with States.Runtime.',
    ],
    [
      'failed, and nobody says with what',
      { status: 'FAILED' },
      { outcome: 'Errored', reason: 'ExecutionFailed' },
      'The execution failed.',
    ],
    [
      'gone',
      { status: 'NOT_FOUND' },
      { outcome: 'Errored', reason: 'ExecutionNotFound' },
      'The lease ran out, and there is no such execution.',
    ],
    [
      'succeeded, and the ledger does not know',
      { status: 'SUCCEEDED' },
      { outcome: 'Errored', reason: 'ExecutionWithoutOutcome' },
      'The execution ended and left no outcome.',
    ],
  ])('%s', (_, execution, outcome, sentence) => {
    expect(decideAbandoned(execution, UNDER_WAY)).toEqual({
      next: 'close',
      request: UNDER_WAY.request,
      outcome: {
        ...outcome,
        cleanup: 'incomplete',
        message: `${sentence} It was in wave 2 of 2. 1 endpoint was rolled and not seen live on version 3. Not stopped, because nobody has looked any more: 1. When last seen, 3 of 4 endpoints were on version 3, 1 in mid-roll (web-4).`,
      },
    });
  });

  test.each<[string, RolloutRecord, Outcome['cleanup'], string]>([
    ['nothing was planned', recordOf(), 'none', 'Nothing was rolled yet.'],
    [
      'nothing was rolled',
      { ...recordOf(), plan: planOf([2]), progress: progressOf(0, [seen('pending')]) },
      'none',
      'It was in wave 1 of 1.',
    ],
    [
      'all that was rolled is there',
      {
        ...recordOf([line('roll', 'web-1', 'accepted')]),
        plan: planOf([1, 1]),
        progress: progressOf(0, [seen('converged', 2)]),
      },
      'none',
      'It was in wave 1 of 2. When last seen, 1 of 2 endpoints was on version 3, 1 on version 2.',
    ],
    [
      'a roll was meant and never observed',
      {
        ...recordOf([line('roll', 'web-1', 'intended'), line('roll', 'web-2', 'intended')]),
        plan: planOf([2]),
        progress: progressOf(0, []),
      },
      'incomplete',
      'It was in wave 1 of 1. 2 endpoints were rolled and not seen live on version 3. Not stopped, because nobody has looked any more: 2. When last seen, all 2 endpoints were in mid-roll (web-1, web-2).',
    ],
    [
      'the policy is to hold',
      { ...UNDER_WAY, request: recordOf([], { onFailure: 'hold' }).request },
      'none',
      'It was in wave 2 of 2. 1 endpoint was rolled and not seen live on version 3. When last seen, 3 of 4 endpoints were on version 3, 1 in mid-roll (web-4).',
    ],
    [
      'a person wanted all to stay as it is, whatever the policy does on a failure',
      { ...UNDER_WAY, signals: [signal('abort', { onFailure: 'hold' })] },
      'none',
      'It was in wave 2 of 2. 1 endpoint was rolled and not seen live on version 3. When last seen, 3 of 4 endpoints were on version 3, 1 in mid-roll (web-4).',
    ],
    [
      'a person wanted old endpoints to be stopped, although the policy is to hold',
      {
        ...UNDER_WAY,
        request: recordOf([], { onFailure: 'hold' }).request,
        signals: [signal('abort', { onFailure: 'stop-old' })],
      },
      'incomplete',
      'It was in wave 2 of 2. 1 endpoint was rolled and not seen live on version 3. Not stopped, because nobody has looked any more: 1. When last seen, 3 of 4 endpoints were on version 3, 1 in mid-roll (web-4).',
    ],
    [
      'a person rejected the wave, and wanted all to stay as it is',
      { ...UNDER_WAY, signals: [signal('reject', { wave: 1, onFailure: 'hold' })] },
      'none',
      'It was in wave 2 of 2. 1 endpoint was rolled and not seen live on version 3. When last seen, 3 of 4 endpoints were on version 3, 1 in mid-roll (web-4).',
    ],
    [
      'a person rejected the wave, and wanted that too late: it had told that it stops',
      {
        ...UNDER_WAY,
        signals: [signal('reject', { wave: 1, onFailure: 'hold' })],
        events: everyEvent().flatMap((event) =>
          event.kind === 'failing' ? [{ ...event, onFailure: 'stop-old' as const }] : [],
        ),
      },
      'incomplete',
      'It was in wave 2 of 2. 1 endpoint was rolled and not seen live on version 3. Not stopped, because nobody has looked any more: 1. When last seen, 3 of 4 endpoints were on version 3, 1 in mid-roll (web-4).',
    ],
    [
      'the cleanup was under way',
      { ...UNDER_WAY, journal: [...UNDER_WAY.journal, line('stop', 'web-4', 'accepted')] },
      'stopped',
      'It was in wave 2 of 2. 1 endpoint was rolled and not seen live on version 3. Stopped: web-4. When last seen, 3 of 4 endpoints were on version 3, 1 stopped (web-4). To create a new one: "steproll agent runtime endpoint create shop --name NAME --version N".',
    ],
    [
      'it was on its way back',
      {
        ...UNDER_WAY,
        rollback: {
          seen: [],
          cause: { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' },
          plan: planBackOf(2),
        },
        progress: progressOf(0, [seen('converged', 2), seen('progressing')], { direction: 'back' }),
      },
      'incomplete',
      'It was on its way back. It stalled. Rolled back: 1 of 2 on their previous versions, not back: web-2. When last seen, 3 of 4 endpoints were on version 2, 1 in mid-roll (web-2).',
    ],
  ])('when %s', (_, record, cleanup, sentence) => {
    const decision = decideAbandoned({ status: 'ABORTED' }, record);
    expect(decision).toMatchObject({
      next: 'close',
      outcome: { cleanup, message: `The execution was stopped from outside. ${sentence}` },
    });
  });
});

test('X09: a rollout with an outcome keeps it, whatever became of its execution', () => {
  const record = { ...UNDER_WAY, outcome: OUTCOME, endedAt: 1 };
  expect(decideAbandoned({ status: 'FAILED' }, record)).toEqual({
    next: 'give-back',
    outcome: OUTCOME,
  });
});

test('a rollout that was never opened is buried', () => {
  expect(decideAbandoned({ status: 'ABORTED' }, null)).toEqual({ next: 'bury' });
});
