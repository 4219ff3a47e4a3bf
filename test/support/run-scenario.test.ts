import { expect, test } from '@jest/globals';
import type { WorkflowEngine } from '../../lib/embedded/engine.ts';
import { runScenario } from './run-scenario.ts';

test('a rollout that goes on and on is refused before it fills the memory', async () => {
  let entered = 0;
  const endless: WorkflowEngine = async ({ onState }) => {
    try {
      for (; entered < 1_000_000; entered += 1) onState?.('Wait for the roll');
      return 'SUCCEEDED';
    } catch {
      // Engines tell no more than this about what was thrown.
      return 'FAILED';
    }
  };

  await expect(runScenario({ engine: () => endless })).rejects.toThrow('It comes to no end');
  expect(entered).toBeLessThan(100_000);
});
