import { describe, expect, test } from '@jest/globals';
import { endByError } from '../../../lib/domain/ending/error.ts';
import { ErrorName } from '../../../lib/domain/errors.ts';

const REFUSALS = [
  'DowngradeRefused',
  'EmptyScope',
  'GateRed',
  'GateUnanswerable',
  'Held',
  'InvalidEndpointId',
  'InvalidInput',
  'LeaseHeld',
  'NothingToRevert',
  'OutsideWindow',
  'PlanChanged',
  'Quarantined',
  'InOtherHands',
  'StaleTrigger',
  'StopUnsupported',
  'UpstreamNotFound',
  'UpstreamRejected',
  'VersionStepRefused',
  'VersionUnknown',
  'VersionsUnsupported',
];

describe('endByError', () => {
  test.each([
    ...Object.values(ErrorName),
    'TypeError',
    'Lambda.Unknown',
    'States.Timeout',
    'States.DataLimitExceeded',
  ])('%s', (name) => {
    expect(endByError(name, 'why')).toEqual({
      outcome: REFUSALS.includes(name) ? 'Failed' : 'Errored',
      reason: name,
      message: 'why',
    });
  });
});
