import { describe, expect, test } from '@jest/globals';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import type { Observation } from '../../../lib/domain/endpoint/observation.ts';
import type { AskedRollout } from '../../../lib/domain/rollout/record.ts';
import { listLives } from '../../../lib/telling/story/lives.ts';
import { line, planOf, progressOf, recordOf, seen } from '../../domain/examples.ts';
import { recordAt, recordOfEnd } from '../../support/record-at.ts';
import { START } from '../../support/scenario-time.ts';

const stuck = { broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }] };

const livesOf = (record: AskedRollout, zero = START) =>
  [...listLives(record).values()].map((life) =>
    life.map(({ kind, at }) => `${kind} ${(at - zero) / 1000} s`).join(', '),
  );

describe('the life of an endpoint', () => {
  test('begins when it was asked to roll, and a stuck one has not changed since it set off', async () => {
    const { record } = await recordAt(600, stuck);
    expect(livesOf(record).slice(0, 4)).toEqual([
      'requested 0 s, converged 20 s',
      'requested 325 s, converged 345 s',
      expect.stringMatching(/^requested 325 s, progressing 3[34]\d s$/),
      '',
    ]);
  });

  test('goes on with its stop', async () => {
    const [, , life] = livesOf(await recordOfEnd(stuck));
    expect(life).toMatch(/^requested 325 s, progressing 3[34]\d s, stopped 950 s$/);
  });

  test('goes on with its way back, and keeps what was before', async () => {
    const record = await recordOfEnd({ ...stuck, policy: { onFailure: 'roll-back' } });
    const [healthy, , broken, untouched] = livesOf(record);
    expect(healthy).toMatch(/^requested 0 s, converged 20 s, back-requested \d+ s, back \d+ s$/);
    expect(broken).toMatch(
      /^requested 325 s, progressing 3[34]\d s, back-requested \d+ s, back \d+ s$/,
    );
    expect(untouched).toBe('');
  });

  test.each<[string, JournalEntry[], Observation, string]>([
    [
      'of a refused roll has failed by that alone',
      [line('roll', 'web-1', 'intended'), line('roll', 'web-1', 'rejected', 'UpstreamRejected')],
      { ...seen('failed'), changedAt: 5_000 },
      'refused 0 s',
    ],
    [
      'of a roll whose answer is awaited has begun',
      [line('roll', 'web-1', 'intended')],
      { ...seen('requested'), changedAt: 5_000 },
      'requested 0 s',
    ],
    [
      'of a roll that was not sent has not',
      [line('roll', 'web-1', 'not-sent')],
      seen('pending'),
      '',
    ],
    [
      'says nothing of times that an older steproll has not written down',
      [line('roll', 'web-1', 'accepted')],
      seen('converged', 2),
      'requested 0 s',
    ],
    [
      'may be moved by others without us',
      [],
      { ...seen('superseded'), changedAt: 5_000 },
      'superseded 5 s',
    ],
  ])('%s', (_, journal, observation, life) => {
    const record = {
      ...recordOf(journal),
      plan: planOf([1]),
      progress: progressOf(0, [observation]),
    };
    expect(livesOf(record, 0)).toEqual([life]);
  });

  test('is none without a plan', () => {
    expect(livesOf(recordOf())).toEqual([]);
  });
});
