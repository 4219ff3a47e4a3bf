import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import { refuseVersionStep } from '../../../lib/domain/planning/version.ts';
import { endpoint } from '../examples.ts';

const at = (liveVersion: number | null, said: Partial<Endpoint> = {}) =>
  endpoint('web', { liveVersion, targetVersion: liveVersion, ...said });
const STEP = { maxVersionStep: 10 };

describe('refuseVersionStep', () => {
  test.each<[string, Endpoint[], number]>([
    ['the version that is live', [at(7)], 7],
    ['one below it', [at(7)], 1],
    ['the largest step from the highest one', [at(1), at(7)], 17],
    ['the largest first version', [at(null)], 10],
    ['the largest version of a runtime without endpoints', [], 10],
  ])('lets pass %s', (_, endpoints, version) => {
    expect(() => refuseVersionStep(endpoints, version, STEP)).not.toThrow();
  });

  test.each<[string, Endpoint[], number, string]>([
    [
      'one more than the largest step',
      [at(1), at(7)],
      18,
      'Version 18 is a step of 11: version 7 is the highest one that is live in the runtime, and maxVersionStep allows 10. Raise it if the version is meant.',
    ],
    [
      'the highest version there is',
      [at(7)],
      Number.MAX_SAFE_INTEGER,
      'Version 9007199254740991 is a step of 9007199254740984: version 7 is the highest',
    ],
    [
      'a large first version',
      [at(null)],
      11,
      'Version 11 is a step of 11: no endpoint of the runtime has a live version, and maxVersionStep allows 10.',
    ],
    [
      'what an endpoint is on its way to alone does not count',
      [at(7, { targetVersion: 500 })],
      501,
      'is a step of 494',
    ],
  ])('refuses %s', (_, endpoints, version, message) => {
    expect(() => refuseVersionStep(endpoints, version, STEP)).toThrow(
      expect.objectContaining({
        name: 'VersionStepRefused',
        message: expect.stringContaining(message),
      }),
    );
  });

  test('never lets a version pass that is further up than the step', () => {
    const version = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    const lives = fc.array(fc.option(version), { maxLength: 4 });
    fc.assert(
      fc.property(lives, version, version, (live, desired, maxVersionStep) => {
        const isFar = live.every((each) => desired - (each ?? 0) > maxVersionStep);
        const check = () =>
          refuseVersionStep(
            live.map((each) => at(each)),
            desired,
            { maxVersionStep },
          );
        if (isFar && desired > maxVersionStep) expect(check).toThrow();
        else expect(check).not.toThrow();
      }),
    );
  });
});
