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
  'AttributeUnknown',
  'WavePinned',
  'OutsideWindow',
  'PlanChanged',
  'Quarantined',
  'InOtherHands',
  'StaleTrigger',
  'StopUnsupported',
  'VersionStepRefused',
  'VersionUnknown',
  'VersionsUnsupported',
  'PolicyLocked',
];

const NOES = ['UpstreamNotFound', 'UpstreamRejected'];

describe('endByError', () => {
  test.each([
    ...Object.values(ErrorName),
    'TypeError',
    'Lambda.Unknown',
    'States.Timeout',
    'States.DataLimitExceeded',
  ])('%s', (name) => {
    const no = NOES.includes(name) ? 'Failed' : 'Errored';
    expect(endByError(name, 'why')).toEqual({
      outcome: REFUSALS.includes(name) ? 'Refused' : no,
      reason: name,
      message: 'why',
    });
  });
});
