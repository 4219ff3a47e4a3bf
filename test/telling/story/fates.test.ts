import { describe, expect, test } from '@jest/globals';
import { groupByFate, leftToDo } from '../../../lib/telling/story/fates.ts';
import { line, planOf, progressOf, recordOf, seen } from '../../domain/examples.ts';
import { recordAt, recordOfEnd } from '../../support/record-at.ts';
import type { Script } from '../../support/run-scenario.ts';

const ONLY = { names: ['endpoint-01'], ids: [], exclude: [] };
const stuck = { broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }] };

async function fatesOf(script: Script) {
  const groups = groupByFate(await recordOfEnd(script));
  return groups.map(({ fate, reason, names }) => [fate, reason, names.length]);
}

describe('what became of the endpoints', () => {
  test.each<[string, Script, unknown[]]>([
    ['of a success', {}, [['live', null, 12]]],
    [
      'of stopped old ones',
      stuck,
      [
        ['stopped', 'in-mid-roll', 1],
        ['live', null, 2],
        ['not-rolled', null, 9],
      ],
    ],
    [
      'of a stop that was kept back',
      { ...stuck, policy: { protect: ['endpoint-03'] } },
      [
        ['kept', 'protected', 1],
        ['live', null, 2],
        ['not-rolled', null, 9],
      ],
    ],
    [
      'of a hold',
      { ...stuck, policy: { onFailure: 'hold' } },
      [
        ['in-mid-roll', null, 1],
        ['live', null, 2],
        ['not-rolled', null, 9],
      ],
    ],
    [
      'of a way back',
      { ...stuck, policy: { onFailure: 'roll-back' } },
      [
        ['back', null, 3],
        ['not-rolled', null, 9],
      ],
    ],
    [
      'of a roll that the service refuses',
      {
        broken: [{ endpoint: 'endpoint-01', kind: 'refuse', httpStatus: 422 }],
        policy: { onFailure: 'hold' },
      },
      [
        ['refused', 'UpstreamRejected', 1],
        ['not-rolled', null, 11],
      ],
    ],
    [
      'of one that shows a failure',
      { broken: [{ endpoint: 'endpoint-01', kind: 'fail' }], policy: { onFailure: 'hold' } },
      [
        ['lost', 'failed', 1],
        ['not-rolled', null, 11],
      ],
    ],
  ])('%s', async (_, script, fates) => {
    expect(await fatesOf(script)).toEqual(fates);
  });

  test.each([
    ['was certainly not sent is not rolled, and why', ['not-sent'], 'not-rolled', 'UpstreamAuth'],
    ['was meant may have been sent by a process that died', [], 'in-mid-roll', null],
    ['got no answer may have been carried out', ['unknown'], 'in-mid-roll', null],
    [
      'was not sent a second time may have been carried out the first time',
      ['unknown', 'intended', 'not-sent'],
      'in-mid-roll',
      null,
    ],
  ] as const)('an endpoint whose roll %s', (_, answers, fate, reason) => {
    const lines = answers.map((result) => line('roll', 'web-1', result, 'UpstreamAuth'));
    const journal = [line('roll', 'web-1', 'intended'), ...lines];
    expect(groupByFate({ ...recordOf(journal), plan: planOf([1]) })).toMatchObject([
      { fate, reason, names: ['web-1'] },
    ]);
  });

  test('of several that have not changed, the one that has not for the longest time is named', () => {
    const times = [7_000, 5_000, 6_000];
    const observations = times.map((changedAt) => ({ ...seen('progressing'), changedAt }));
    const record = { ...recordOf(), plan: planOf([4]), progress: progressOf(0, observations) };
    expect(groupByFate(record)).toMatchObject([
      { fate: 'in-mid-roll', since: { name: 'web-2', at: 5_000 } },
      { fate: 'not-rolled', since: null },
    ]);
  });

  test('of a way back that began in the midst of stops, what was stopped by then is told as stopped', () => {
    const plan = planOf([3]);
    const cause = { outcome: 'Aborted', reason: 'Aborted', message: 'Aborted.' } as const;
    const leftOut = ['web-1', 'web-2'].map(
      (endpointId) => ({ endpointId, name: endpointId, reason: 'stopped' }) as const,
    );
    const record = {
      ...recordOf([line('stop', 'web-1', 'accepted'), line('stop', 'web-2', 'unknown', 'Lost')]),
      plan,
      rollback: {
        seen: [],
        cause,
        plan: { ...plan, direction: 'back' as const, endpoints: [], waves: [], leftOut },
      },
    };
    expect(groupByFate(record)).toMatchObject([
      { fate: 'stopped', reason: null, names: ['web-1'] },
      { fate: 'stop-unsure', reason: 'Lost', names: ['web-2'] },
      { fate: 'not-rolled', reason: null, names: ['web-3'] },
    ]);
  });

  test('while it is under way, they say where the endpoints are', async () => {
    const { record } = await recordAt(340);
    expect(groupByFate(record).map(({ fate, names }) => [fate, names.length])).toEqual([
      ['in-mid-roll', 2],
      ['live', 1],
      ['not-rolled', 9],
    ]);
  });
});

describe('what another rollout to the version would have to roll', () => {
  const only = { broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }] };

  test.each<[string, Script, string]>([
    ['nothing, after a success', {}, 'nothing'],
    ['something, where waves were not rolled', stuck, 'something'],
    [
      'nothing, where the only endpoint was stopped',
      { ...only, policy: { selection: ONLY, minServing: 0 } },
      'nothing',
    ],
    [
      'something, where its stop was kept back',
      { ...only, policy: { selection: ONLY, protect: ['endpoint-01'] } },
      'something',
    ],
  ])('is %s', async (_, script, left) => {
    expect(leftToDo(await recordOfEnd(script)).toRoll).toBe(left);
  });

  test.each([
    ['after a success', {}, true],
    ['where a stuck endpoint was stopped and others are live', stuck, true],
    [
      'where all went back but one that is gone from the list',
      {
        ...stuck,
        broken: [
          ...stuck.broken,
          { endpoint: 'endpoint-02', version: 1, kind: 'vanish', afterSeconds: 1 },
        ],
        policy: { onFailure: 'roll-back' },
      } as const,
      false,
    ],
    ['where all went back', { ...stuck, policy: { onFailure: 'roll-back' } } as const, false],
    [
      'where the only one was stopped',
      { ...only, policy: { selection: ONLY, minServing: 0 } },
      false,
    ],
    [
      'where its stop was kept back',
      { ...only, policy: { selection: ONLY, protect: ['*'] } },
      true,
    ],
    [
      'where the only one has crashed on the version, and is held',
      {
        broken: [{ endpoint: 'endpoint-01', kind: 'crash', afterSeconds: 60 }],
        policy: { selection: ONLY, onFailure: 'hold' },
      } as const,
      true,
    ],
  ])('something is left to take back: %s', async (_, script, isLeft) => {
    const record = await recordOfEnd(script);
    expect(leftToDo(record).toTakeBack).toBe(isLeft);
    // To undo an undoing would roll forward again.
    const undoing = { ...record, request: { ...record.request, revert: 'rollout-0' } };
    expect(leftToDo(undoing).toTakeBack).toBe(false);
  });

  test('is not known without a plan', () => {
    expect(leftToDo(recordOf())).toEqual({
      toRoll: 'unplanned',
      toTakeBack: false,
      wasToGoBack: false,
    });
  });
});
