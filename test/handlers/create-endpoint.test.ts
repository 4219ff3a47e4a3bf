import { describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { createEndpoint } from '../../lib/handlers/endpoints.ts';
import type { EndpointService } from '../../lib/ports/endpoint-service.ts';

const UNKNOWN = new SteprollError(ErrorName.OutcomeUnknown, 'no answer');

describe('a creation', () => {
  test('that is answered is made once, after one look at the list', async () => {
    const { run, waits, calls } = stage({ create: () => endpoint('new', 'web') });

    expect(await run()).toEqual(endpoint('new', 'web'));
    expect({ waits, calls }).toEqual({ waits: [], calls: ['list', 'create'] });
  });

  test.each([
    [1, [0]],
    [2, [0, 5_000]],
    [3, [0, 5_000, 25_000]],
  ])('H13: without an answer is found at look %i and adopted', async (look, expected) => {
    const { run, waits, calls, looks } = stage({
      list: (nth) =>
        nth > look ? [endpoint('old', 'web'), endpoint('new', 'web')] : [endpoint('old', 'web')],
      create: () => UNKNOWN,
    });

    expect((await run()).id).toBe('new');
    expect(waits).toEqual(expected);
    expect(looks).toEqual(expected.map((milliseconds) => milliseconds / 1000));
    expect(calls.filter((call) => call === 'create')).toHaveLength(1);
  });

  test.each([
    ['never shows up', () => [endpoint('old', 'web')]],
    ['has another name', () => [endpoint('new', 'api')]],
    [
      'may be either of two',
      (nth: number) => (nth === 1 ? [] : [endpoint('a', 'web'), endpoint('b', 'web')]),
    ],
  ])('H13: that %s stays in doubt, and is not made again', async (_what, list) => {
    const { run, calls } = stage({ list, create: () => UNKNOWN });

    await expect(run()).rejects.toBe(UNKNOWN);
    expect(calls.filter((call) => call === 'create')).toHaveLength(1);
  });

  test('H13: a list that cannot be read meanwhile is read again', async () => {
    const { run } = stage({
      list: (nth) => {
        if (nth === 2) throw new SteprollError(ErrorName.UpstreamTransient, '503');
        return nth === 1 ? [] : [endpoint('new', 'web')];
      },
      create: () => UNKNOWN,
    });

    expect((await run()).id).toBe('new');
  });

  test('a list that cannot be read beforehand costs the adoption, and not the creation', async () => {
    const unreadable = () => {
      throw new SteprollError(ErrorName.UpstreamAuth, '403');
    };
    const answered = stage({ list: unreadable, create: () => endpoint('new', 'web') });
    const unanswered = stage({ list: unreadable, create: () => UNKNOWN });

    expect((await answered.run()).id).toBe('new');
    await expect(unanswered.run()).rejects.toBe(UNKNOWN);
    expect(unanswered.waits).toEqual([]);
  });

  test('that is refused is refused, and nothing is looked for', async () => {
    const refusal = new SteprollError(ErrorName.UpstreamConflict, '409');
    const { run, calls } = stage({ create: () => refusal });

    await expect(run()).rejects.toBe(refusal);
    expect(calls).toEqual(['list', 'create']);
  });
});

interface Stage {
  /** `nth` is 1-based. */
  readonly list?: (nth: number) => readonly Endpoint[];
  readonly create: () => Endpoint | SteprollError;
}

function stage({ list = () => [], create }: Stage) {
  const waits: number[] = [];
  const calls: string[] = [];
  const service: Partial<EndpointService> = {
    async list() {
      calls.push('list');
      return list(calls.filter((call) => call === 'list').length);
    },
    async create() {
      calls.push('create');
      const answer = create();
      if (answer instanceof SteprollError) throw answer;
      return answer;
    },
  };
  const clock = {
    sleep: async (milliseconds: number) => void waits.push(milliseconds),
  };
  const looks: number[] = [];
  const onLook = (seconds: number) => void looks.push(seconds);
  const ports = { service: service as EndpointService, clock, onLook };
  const run = () => createEndpoint({ runtimeId: 'shop', name: 'web' }, ports);
  return { waits, calls, looks, run };
}

function endpoint(id: string, name: string): Endpoint {
  return {
    id,
    name,
    version: 1,
    targetVersion: 1,
    liveVersion: 1,
    replicas: 1,
    url: null,
    status: 'ACTIVE',
    statusReason: null,
  };
}
