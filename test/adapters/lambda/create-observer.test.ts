import { describe, expect, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { createObserver, type FunctionCall } from '../../../lib/adapters/lambda/telemetry.ts';
import { FUNCTION_METRICS } from '../../../lib/contract/functions/metrics.ts';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import { captureOutput, jsonLines } from '../../support/capture-output.ts';

const event = { runtimeId: 'shop', endpointIds: ['a', 'b'], note: 'canary' };
const context = {
  functionName: 'steproll-roll',
  awsRequestId: 'request-1',
  memoryLimitInMB: '512',
  invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:steproll-roll',
} as Context;

describe('a call that succeeds', () => {
  const rows = [{ result: 'accepted' }, { result: 'unknown' }, { result: 'accepted' }];

  test('is answered with the answer', async () => {
    let answer: unknown;
    await captureOutput(async () => {
      answer = await createObserver('roll')({ event, context }, async () => rows);
    });
    expect(answer).toBe(rows);
  });

  test('is one line in the log, without the event', async () => {
    const output = await outputOf({ event, context }, async () => rows);
    expect(linesOf(output)).toEqual([
      expect.objectContaining({
        level: 'INFO',
        message: 'roll succeeded',
        service: 'steproll',
        function_name: 'steproll-roll',
        function_request_id: 'request-1',
        operation: 'roll',
        runtimeId: 'shop',
        outcome: 'succeeded',
        durationMs: expect.any(Number),
        rows: { accepted: 2, unknown: 1 },
      }),
    ]);
    expect(output).not.toContain('canary');
    expect(output).not.toContain('endpointIds');
  });

  test('is counted, and its rows by result', async () => {
    expect(metricsOf(await outputOf({ event, context }, async () => rows))).toEqual([
      { metric: 'calls', value: 1, service: 'steproll', operation: 'roll' },
      { metric: 'rows', value: 2, service: 'steproll', operation: 'roll', result: 'accepted' },
      { metric: 'rows', value: 1, service: 'steproll', operation: 'roll', result: 'unknown' },
    ]);
  });
});

describe('a call that closes a rollout', () => {
  const ended = { outcome: 'Failed', cleanup: 'stopped', reason: 'Stalled', message: 'canary' };

  test('is counted by its outcome, for the function that it is', async () => {
    const output = await outputOf({ event, context }, async () => ended);
    expect(metricsOf(output)).toContainEqual({
      metric: 'rollouts',
      value: 1,
      service: 'steproll',
      operation: 'roll',
      function: 'steproll-roll',
      outcome: 'Failed',
    });
    expect(output).not.toContain('canary');
  });

  test('is not counted by what is no outcome', async () => {
    const output = await outputOf({ event, context }, async () => ({ outcome: 'Splendid' }));
    expect(metricsOf(output).map(({ metric }) => metric)).toEqual(['calls']);
  });
});

describe('a call that fails', () => {
  const fail = () =>
    Promise.reject(new SteprollError(ErrorName.UpstreamAuth, 'GET /: 401 the canary is bad'));

  test('throws what was thrown', async () => {
    await captureOutput(async () => {
      await expect(createObserver('roll')({ event, context }, fail)).rejects.toThrow('401');
    });
  });

  test('is one line in the log, with the name of the error and not its message', async () => {
    const output = await outputOf({ event, context }, fail);
    expect(linesOf(output)).toEqual([
      expect.objectContaining({
        level: 'ERROR',
        message: 'roll failed',
        operation: 'roll',
        runtimeId: 'shop',
        outcome: 'failed',
        error: 'UpstreamAuth',
        durationMs: expect.any(Number),
      }),
    ]);
    expect(output).not.toContain('canary');
  });

  test('is counted under the name of the error', async () => {
    expect(metricsOf(await outputOf({ event, context }, fail))).toEqual([
      { metric: 'calls', value: 1, service: 'steproll', operation: 'roll' },
      { metric: 'errors', value: 1, service: 'steproll', operation: 'roll', error: 'UpstreamAuth' },
    ]);
  });
});

test('metrics have the dimensions that they are looked up by', async () => {
  const { calls, errors, rows } = FUNCTION_METRICS;
  const counted = metricsOf(
    (await outputOf({ event, context }, async () => [{ result: 'kept' }])) +
      (await outputOf({ event, context }, () => Promise.reject(new Error('no')))),
  );
  for (const { name, dimensions } of [calls, errors, rows]) {
    const found = counted.find(({ metric }) => metric === name);
    expect(Object.keys(found ?? {}).toSorted()).toEqual(
      ['metric', 'value', ...dimensions].toSorted(),
    );
  }
});

test('calls one after the other are told apart', async () => {
  const observe = createObserver('list');
  const output = await captureOutput(async () => {
    for (const runtimeId of ['one', 'two']) {
      await observe({ event: { runtimeId }, context: undefined }, async () => ({ endpoints: [] }));
    }
  });
  expect(linesOf(output).map(({ runtimeId }) => runtimeId)).toEqual(['one', 'two']);
  expect(metricsOf(output).map(({ metric, value }) => [metric, value])).toEqual([
    ['calls', 1],
    ['calls', 1],
  ]);
});

function outputOf(call: FunctionCall, work: () => Promise<unknown>): Promise<string> {
  return captureOutput(() => createObserver('roll')(call, work).catch(() => undefined));
}

function linesOf(output: string): Record<string, unknown>[] {
  return jsonLines(output).filter((line) => !('_aws' in line));
}

interface EmbeddedMetric {
  readonly CloudWatchMetrics: readonly {
    readonly Namespace: string;
    readonly Dimensions: readonly (readonly string[])[];
    readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
  }[];
}

/** Name, value and dimensions of the embedded metrics. */
function metricsOf(output: string): Record<string, unknown>[] {
  return jsonLines(output)
    .filter((line) => '_aws' in line)
    .flatMap((line) =>
      (line._aws as EmbeddedMetric).CloudWatchMetrics.flatMap(
        ({ Namespace, Dimensions, Metrics }) => {
          expect(Namespace).toBe('steproll');
          const dimensions = Object.fromEntries(
            (Dimensions[0] ?? []).map((name) => [name, line[name]]),
          );
          return Metrics.map(({ Name }) => ({ metric: Name, value: line[Name], ...dimensions }));
        },
      ),
    );
}
