import { expect, test } from '@jest/globals';
import {
  exitCodeOfError,
  exitCodeOfOutcome,
  Interrupted,
} from '../../../lib/cli/invocation/exit-code.ts';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';

test.each<[code: number, names: readonly ErrorName[]]>([
  [
    1,
    [
      ErrorName.ApprovalNotWanted,
      ErrorName.DowngradeRefused,
      ErrorName.EmptyScope,
      ErrorName.GateRed,
      ErrorName.InvalidTrigger,
      ErrorName.LeaseHeld,
      ErrorName.LeaseLost,
      ErrorName.NothingToRetry,
      ErrorName.NotUnderstood,
      ErrorName.OutsideWindow,
      ErrorName.PlanChanged,
      ErrorName.RolloutClosed,
      ErrorName.RolloutFailed,
      ErrorName.StaleTrigger,
      ErrorName.UnknownRuntime,
      ErrorName.UpstreamConflict,
      ErrorName.UpstreamNotFound,
      ErrorName.UpstreamRejected,
      ErrorName.AttributeUnknown,
      ErrorName.WavePinned,
      ErrorName.VersionStepRefused,
      ErrorName.VersionUnknown,
    ],
  ],
  [
    2,
    [
      ErrorName.GateUnanswerable,
      ErrorName.InvalidInput,
      ErrorName.InvalidEndpointId,
      ErrorName.InvalidCredential,
      ErrorName.RolloutNotFound,
      ErrorName.StackNotFound,
    ],
  ],
  [
    3,
    [
      ErrorName.AwsUnavailable,
      ErrorName.UpstreamTimeout,
      ErrorName.UpstreamAuth,
      ErrorName.LedgerUnavailable,
    ],
  ],
])('exit code %i is for %j', (code, names) => {
  for (const name of names) expect(exitCodeOfError(new SteprollError(name, ''))).toBe(code);
});

test('what a person ended is an interruption, anything else we could not know', () => {
  expect(exitCodeOfError(new Interrupted(''))).toBe(130);
  expect(exitCodeOfError(new TypeError())).toBe(3);
  expect(exitCodeOfError('text')).toBe(3);
});

test('outcomes have exit codes', () => {
  const outcomes = ['Succeeded', 'Failed', 'Superseded', 'Errored', 'Aborted'] as const;
  expect(outcomes.map((outcome) => exitCodeOfOutcome({ outcome, reason: 'StepFailed' }))).toEqual([
    0, 1, 1, 3, 130,
  ]);
});

test('a refusal is bad input where what was asked is a mistake', () => {
  const codeOf = (reason: string) => exitCodeOfOutcome({ outcome: 'Refused', reason });
  expect(['PolicyLocked', 'InvalidInput', 'LeaseHeld', 'Held'].map(codeOf)).toEqual([2, 2, 1, 1]);
});
