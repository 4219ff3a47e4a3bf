import { describe, expect, test } from '@jest/globals';
import { parseStatusChange, toExecution } from '../../../lib/contract/flow/execution-status.ts';
import { MACHINE_ARN, statusChange } from '../../support/status-change.ts';

describe('the event of an execution that ended', () => {
  test.each(['FAILED', 'TIMED_OUT', 'ABORTED'])('%s names the rollout', (status) => {
    expect(parseStatusChange(statusChange({ name: 'r-1', status }), MACHINE_ARN)).toEqual({
      executionName: 'r-1',
      input: { schemaVersion: 1, runtimeId: 'shop', version: 3 },
      execution: { status },
    });
  });

  test('the name of an error is taken over', () => {
    const event = statusChange({ status: 'FAILED', error: 'States.Runtime' });
    expect(parseStatusChange(event, MACHINE_ARN).execution).toEqual({
      status: 'FAILED',
      error: 'States.Runtime',
    });
  });

  test('keys that AWS adds are let pass', () => {
    const event = { ...statusChange({ redriveCount: 0 }), 'replay-name': 'archive' };
    expect(parseStatusChange(event, MACHINE_ARN).executionName).toBe('rollout-1');
  });

  test.each<[string, object, string]>([
    [
      'another state machine',
      statusChange({ stateMachineArn: `${MACHINE_ARN}2` }),
      'detail.stateMachineArn: ',
    ],
    [
      'one that succeeded',
      statusChange({ status: 'SUCCEEDED' }),
      'detail.status: "SUCCEEDED" is not allowed',
    ],
    [
      'one that runs',
      statusChange({ status: 'RUNNING' }),
      'detail.status: "RUNNING" is not allowed',
    ],
    ['no name', statusChange({ name: undefined }), 'detail.name: missing'],
    ['a name that is too long', statusChange({ name: 'x'.repeat(81) }), 'detail.name: '],
    ['another source', { ...statusChange(), source: 'my.app' }, 'source: "my.app" is not allowed'],
    ['another kind', { ...statusChange(), 'detail-type': 'Release Published' }, 'detail-type: '],
    ['no detail', { ...statusChange(), detail: null }, 'detail: '],
  ])('E07: %s is refused', (_, event, text) => {
    expect(() => parseStatusChange(event, MACHINE_ARN)).toThrow(
      expect.objectContaining({ name: 'InvalidInput', message: expect.stringContaining(text) }),
    );
  });

  test('every mistake is told at once', () => {
    expect(() => parseStatusChange({ source: 'x', detail: {} }, MACHINE_ARN)).toThrow('5 mistakes');
  });
});

describe('what Step Functions says of an execution', () => {
  test.each(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'])('%s', (status) => {
    expect(toExecution({ status })).toEqual({ status });
  });

  test.each(['PENDING_REDRIVE', 'ASLEEP', '', undefined])('%j is no end', (status) => {
    expect(toExecution({ status })).toEqual({ status: 'RUNNING' });
  });

  test('the name of an error is taken over', () => {
    expect(toExecution({ status: 'FAILED', error: 'RolloutFailed' })).toEqual({
      status: 'FAILED',
      error: 'RolloutFailed',
    });
  });
});
