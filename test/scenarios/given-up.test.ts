import { describe, expect } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { Signal } from '../../lib/domain/rollout/record.ts';
import { createInterpreter } from '../../lib/embedded/interpreter/engine.ts';
import { checks as gate } from '../../lib/gates/checks.ts';
import { createWorldService } from '../../lib/rehearsal/service.ts';
import { type Grounds, rehearsalGrounds } from '../support/grounds.ts';
import { runScenario, type Script, type Stage } from '../support/run-scenario.ts';
import { START, scenarioNow, scenarioTime, secondsSinceStart } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

// On one machine an abort is heard within 2 s, also while the service or a gate is being asked.

function listeningGrounds(): Grounds {
  const grounds = rehearsalGrounds();
  const engine = createInterpreter({ clock: grounds.time, random: () => 0.5, listens: true });
  return { ...grounds, engine };
}

async function abort({ ledger, until }: Stage, seconds: number, more: Partial<Signal> = {}) {
  await until(seconds);
  const at = scenarioNow();
  const said = { kind: 'abort', at, wave: null, by: 'ada', reason: 'wrong version' } as const;
  await ledger.signal('rollout-1', { ...said, ...more });
}

const checksAt = (when: string) =>
  gate.schema.parse([{ name: 'smoke', url: 'https://checks.example.com', when }]);

/** It takes its 30 s for each answer, and notes the questions that were given up. */
function slowCheck(when: string, givenUp: number[]): Script {
  return {
    endpoints: 2,
    policy: { bakeSeconds: 60, verify: { approval: null, checks: checksAt(when) } },
    gates: {
      async check(_, __, signal) {
        signal?.addEventListener('abort', () => givenUp.push(secondsSinceStart()));
        await scenarioTime().sleep(30_000);
        return { verdict: 'unknown', detail: 'no answer in 30 s' };
      },
    },
  };
}

/** From a second on no list is answered within its 10 s. */
function deadService(from: number): Script {
  return {
    endpoints: 2,
    policy: { bakeSeconds: 60, pollSeconds: 1 },
    service: (options) => {
      const service = createWorldService(options);
      return {
        ...service,
        async list(id, signal, of) {
          if (secondsSinceStart() < from) return service.list(id, signal, of);
          await scenarioTime().sleep(10_000);
          throw new SteprollError(ErrorName.UpstreamTimeout, 'no complete answer within 10 s');
        },
      };
    },
  };
}

const NONE: Script = {};

describe('an abort is heard within 2 s', () => {
  test.each([
    ['before the begin, while its check is asked', slowCheck('before-rollout', []), 4],
    ['while the check of a bake is asked', slowCheck('bake', []), 32],
    ['while the check of the next wave is asked', slowCheck('before-wave', []), 4],
    ['before the begin, while the service is down', deadService(0), 3],
    ['while a wave rolls and the service is down', deadService(5), 18],
    ['in a bake while the service is down', deadService(40), 56],
  ] as const)('%s', async (_, script, second) => {
    const run = await runScenario({
      ...NONE,
      ...script,
      grounds: listeningGrounds,
      beside: (stage) => abort(stage, second),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Aborted' });
    expect(run.seconds).toBeGreaterThanOrEqual(second);
    expect(run.seconds).toBeLessThanOrEqual(second + 2);
  });

  test('and the question is given up', async () => {
    const givenUp: number[] = [];
    await runScenario({
      ...slowCheck('before-rollout', givenUp),
      grounds: listeningGrounds,
      beside: (stage) => abort(stage, 4),
    });

    expect(givenUp).toHaveLength(1);
    expect(givenUp[0]).toBeLessThanOrEqual(6);
  });

  test('and what it asks for is done, although no list can be read', async () => {
    const run = await runScenario({
      ...deadService(5),
      grounds: listeningGrounds,
      beside: (stage) => abort(stage, 18, { onFailure: 'roll-back' }),
    });

    const failing = run.told.find(({ kind }) => kind === 'failing');
    expect(((failing?.at ?? Number.NaN) - START) / 1000).toBeLessThanOrEqual(20);
  });
});

test('a write is never given up: its answer is noted, and then the abort is heard', async () => {
  const run = await runScenario({
    endpoints: 1,
    latencyMs: 6_000,
    grounds: listeningGrounds,
    async beside(stage) {
      await stage.untilSent('roll', 1);
      await abort(stage, secondsSinceStart());
    },
  });

  expect(run.outcome).toMatchObject({ outcome: 'Aborted' });
  expect(run.record?.journal.map(({ result }) => result)).toEqual(['intended', 'accepted']);
});
