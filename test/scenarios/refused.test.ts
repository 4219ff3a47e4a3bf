import { describe, expect } from '@jest/globals';
import type { EngineResult, TaskHandler, WorkflowEngine } from '../../lib/embedded/engine.ts';
import { runScenario, type Script } from '../support/run-scenario.ts';
import { test } from '../support/test-on-services.ts';

const NOBODY = { selection: { names: ['api-*'], ids: [], exclude: [] } };

/** What Lambda would count as an error of a function, and how each execution ended. */
function watched() {
  const errors: string[] = [];
  const statuses: EngineResult[] = [];
  const watch =
    (handler: TaskHandler): TaskHandler =>
    async (parameters) => {
      try {
        return await handler(parameters);
      } catch (error) {
        errors.push(String(error));
        throw error;
      }
    };
  const engine =
    (run: WorkflowEngine): WorkflowEngine =>
    async (execution) => {
      const handlers = Object.entries(execution.handlers).map(([name, one]) => [name, watch(one)]);
      const status = await run({ ...execution, handlers: Object.fromEntries(handlers) });
      statuses.push(status);
      return status;
    };
  return { errors, statuses, engine };
}

describe('a rollout that is refused', () => {
  test.each<[string, Script, string]>([
    ['by its plan', { policy: NOBODY }, 'EmptyScope'],
    ['by the versions there are', { endpoints: [{ name: 'web', version: 9 }] }, 'DowngradeRefused'],
    [
      'by a window',
      {
        policy: {
          freezes: [{ from: '2025-12-01T00:00', to: '2027-01-31T00:00', timeZone: 'UTC' }],
          outsideWindow: 'refuse',
        },
      },
      'OutsideWindow',
    ],
  ])(
    '%s has not failed: no step throws, and its execution fails with the reason',
    async (_, said, reason) => {
      const { errors, statuses, engine } = watched();
      const run = await runScenario({ ...said, engine });

      expect(run.outcome).toMatchObject({ outcome: 'Refused', reason, cleanup: 'none' });
      expect(errors).toEqual([]);
      expect(statuses).toEqual(['FAILED']);
      expect(run.states).toEqual([
        'Open rollout',
        'What now?',
        'Close rollout',
        'Did it succeed?',
        'Rollout refused',
      ]);
      expect(run.rolled).toEqual([]);
      expect(run.record).toMatchObject({ plan: null, outcome: { outcome: 'Refused', reason } });
      expect(run.told).toMatchObject([{ kind: 'ended', outcome: 'Refused', reason }]);
    },
  );
});
