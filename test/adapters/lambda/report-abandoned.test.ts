import { expect, test } from '@jest/globals';
import { createAbandonedReport } from '../../../lib/adapters/lambda/telemetry.ts';
import { recordOf } from '../../domain/examples.ts';
import { captureOutput, jsonLines } from '../../support/capture-output.ts';
import { MACHINE_ARN } from '../../support/status-change.ts';

const OUTCOME = {
  outcome: 'Aborted',
  cleanup: 'incomplete',
  reason: 'ExecutionAborted',
  message: 'The service said “canary”.',
} as const;

test('a rollout that was left open is one line in the log, without the message, and counted', async () => {
  const output = await captureOutput(async () => {
    createAbandonedReport(MACHINE_ARN)(recordOf().request, OUTCOME);
  });

  const [line, metric] = jsonLines(output);
  expect(line).toMatchObject({
    level: 'WARN',
    message: 'closed a rollout that its execution left open',
    service: 'steproll',
    rolloutId: 'rollout-1',
    runtimeId: 'shop',
    outcome: 'Aborted',
    reason: 'ExecutionAborted',
    cleanup: 'incomplete',
  });
  expect(metric).toMatchObject({
    _aws: {
      CloudWatchMetrics: [
        {
          Namespace: 'steproll',
          Dimensions: [['service', 'stateMachine']],
          Metrics: [{ Name: 'abandoned', Unit: 'Count' }],
        },
      ],
    },
    service: 'steproll',
    stateMachine: 'steproll',
    abandoned: 1,
  });
  expect(output).not.toContain('canary');
});
