import { expect, test } from '@jest/globals';
import { runScenario } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { toScript } from '../to-script.ts';
import {
  acceptedIsLast,
  noneIsMeantAfterAbort,
  sentIsNotKept,
  unansweredIsLookedFor,
} from './stops-noted.ts';

const STUCK: Ordeal = {
  ...QUIET,
  policy: { ...QUIET.policy, maxUnavailable: { percent: 100 } },
  broken: [
    { endpoint: 'endpoint-01', version: 2, kind: 'stuck' },
    { endpoint: 'endpoint-02', version: 2, kind: 'stuck' },
  ],
};

const UNHEARD: Ordeal = {
  ...STUCK,
  writes: [{ operation: 'stop', endpoint: 'endpoint-01', nth: 1, kind: 'unheard', seconds: 1 }],
};

test('a stop that was carried out, and is noted otherwise, is noticed', async () => {
  const { calls, record } = await runScenario(toScript(UNHEARD));
  const noted = (result: 'accepted' | 'kept') => {
    const journal = record?.journal.map((line) =>
      line.operation === 'stop' && line.result === 'accepted' ? { ...line, result } : line,
    );
    return unansweredIsLookedFor(UNHEARD, {
      calls,
      record: record && { ...record, journal: journal ?? [] },
    });
  };

  expect(noted('accepted')).toEqual([]);
  expect(noted('kept')).toEqual([expect.stringContaining('that is noted as kept')]);
});

test('a stop that was sent and is noted as kept is noticed', async () => {
  const { calls, record } = await runScenario(toScript(STUCK));
  const [{ endpointId } = { endpointId: '' }] = record?.plan?.endpoints ?? [];
  const line = { at: 1e15, watched: 1e15, operation: 'stop', endpointId, result: 'kept' } as const;
  const journal = [...(record?.journal ?? []), line];

  expect(sentIsNotKept({ calls, record })).toEqual([]);
  expect(sentIsNotKept({ calls, record: record && { ...record, journal } })).toEqual([
    `a stop of ${endpointId} was sent, and it is noted as kept`,
  ]);
});

test('a word on a stop that was accepted is noticed', async () => {
  const { record } = await runScenario(toScript(STUCK));
  const stops = record?.journal.filter(({ operation }) => operation === 'stop') ?? [];
  const journal = [...stops, ...stops.slice(0, 1)];

  expect(acceptedIsLast({ record })).toEqual([]);
  expect(acceptedIsLast({ record: record && { ...record, journal } })).toHaveLength(1);
});

test('a stop that is meant long after an abort is noticed', async () => {
  const told: Ordeal = { ...STUCK, word: { said: 'hold', at: 'stop', nth: 1 } };
  const { record } = await runScenario(toScript(told));
  const line = {
    at: 1e15,
    watched: 1e15,
    operation: 'stop',
    endpointId: 'a',
    result: 'intended',
  } as const;
  const journal = [...(record?.journal ?? []), line, line];

  expect(noneIsMeantAfterAbort(told, { record })).toEqual([]);
  expect(noneIsMeantAfterAbort(told, { record: record && { ...record, journal } })).toEqual([
    'a stop of a was meant',
  ]);
});
