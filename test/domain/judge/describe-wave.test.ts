import { describe, expect, test } from '@jest/globals';
import {
  describeLoss,
  describeNothingToDo,
  describeRegress,
  describeSuccess,
  describeSuperseded,
} from '../../../lib/domain/judge/describe-wave.ts';
import type { LeftOutEndpoint, Observation } from '../../../lib/domain/rollout.ts';
import { line, planned, planOf, progressOf, recordOf, seen } from '../examples.ts';

const failed = seen('failed', 2);
const converged = seen('converged', 2);
const progressing = seen('progressing');

const leftOut: LeftOutEndpoint[] = [
  { endpointId: 'a', name: 'a', reason: 'at-version' },
  { endpointId: 'b', name: 'b', reason: 'at-version' },
  { endpointId: 'c', name: 'c', reason: 'stopped' },
];

describe('success', () => {
  test.each([
    [planOf([1]), '1 endpoint rolled to version 3 in 1 wave.'],
    [planOf([1, 2, 9]), '12 endpoints rolled to version 3 in 3 waves.'],
    [
      planOf([1, 2], { leftOut }),
      '3 endpoints rolled to version 3 in 2 waves. Left alone: 2 at the version already, 1 stopped.',
    ],
  ])('counts %#', (plan, message) => {
    expect(describeSuccess(recordOf(), plan)).toEqual({
      outcome: 'Succeeded',
      reason: 'Converged',
      message,
    });
  });

  test('E02: nothing to do is success too', () => {
    expect(describeNothingToDo(recordOf().request, planOf([], { leftOut }))).toEqual({
      outcome: 'Succeeded',
      reason: 'NothingToDo',
      message: 'Nothing to do for version 3. Left alone: 2 at the version already, 1 stopped.',
    });
  });
});

describe('a loss', () => {
  /** The second wave of two. */
  const loss = (
    reason: Parameters<typeof describeLoss>[0],
    observations: readonly Observation[],
    journal = recordOf().journal,
  ) => {
    const plan = planOf([1, observations.length]);
    return describeLoss(
      reason,
      recordOf(journal),
      plan,
      progressOf(1, [converged, ...observations]),
    );
  };

  test.each<[Observation[], string]>([
    [[failed], 'web-2 is'],
    [[failed, failed], 'web-2 and web-3 are'],
    [[failed, converged, failed, failed], 'web-2, web-4 and web-5 are'],
    [[failed, failed, failed, failed], 'web-2, web-3, web-4 and 1 more are'],
    [Array.from({ length: 10 }, () => failed), 'web-2, web-3, web-4 and 7 more are'],
  ])('names the endpoints, and at most three of them: %#', (observations, names) => {
    expect(loss('EndpointFailed', observations)).toEqual({
      outcome: 'Failed',
      reason: 'EndpointFailed',
      message: `Wave 2 of 2: ${names} in a failed state.`,
    });
  });

  test('a stalled wave names what is not live', () => {
    expect(loss('Stalled', [converged, progressing, seen('requested')])).toEqual({
      outcome: 'Failed',
      reason: 'Stalled',
      message: 'Wave 2 of 2 made no progress for 600 s: web-3 and web-4 are not live on version 3.',
    });
  });

  test('H02: a vanished endpoint', () => {
    const ending = loss('EndpointVanished', [converged, seen('missing', 3)]);
    expect(ending).toMatchObject({ outcome: 'Failed', reason: 'EndpointVanished' });
    expect(ending.message).toBe('Wave 2 of 2: web-3 is gone from the list.');
  });

  test('H20: a refused roll says what the service said', () => {
    const refused = line('roll', 'web-2', 'rejected', 'UpstreamRejected', 'PUT /x: 422 no.');
    const ending = loss('EndpointFailed', [failed], [refused]);
    expect(ending).toMatchObject({ outcome: 'Failed', reason: 'UpstreamRejected' });
    expect(ending.message).toBe(
      'Wave 2 of 2: web-2 is not rolled or in a failed state. PUT /x: 422 no.',
    );
  });

  test('H20: a refusal of the service is told even where another endpoint failed first', () => {
    const refused = line('roll', 'web-3', 'rejected', 'UpstreamRejected', 'PUT /x: 422 no.');
    const ending = loss('EndpointFailed', [failed, failed], [refused]);
    expect(ending).toEqual({
      outcome: 'Failed',
      reason: 'UpstreamRejected',
      message: 'Wave 2 of 2: web-2 and web-3 are not rolled or in a failed state. PUT /x: 422 no.',
    });
  });

  test('a refusal of an endpoint that has not failed is not the reason', () => {
    const refused = line('roll', 'web-3', 'rejected', 'UpstreamConflict', 'PUT /x: 409 busy.');
    expect(loss('EndpointFailed', [failed, progressing], [refused])).toMatchObject({
      reason: 'EndpointFailed',
      message: 'Wave 2 of 2: web-2 is in a failed state.',
    });
  });

  test('an endpoint of a wave before is named like any other', () => {
    const progress = progressOf(1, [failed, progressing]);
    expect(describeLoss('EndpointFailed', recordOf(), planOf([1, 1]), progress).message).toBe(
      'Wave 2 of 2: web-1 is in a failed state.',
    );
  });

  test('an endpoint without a name goes by its id', () => {
    const plan = planOf([1], { endpoints: [planned('ep-7', { name: null })] });
    const ending = describeLoss('EndpointFailed', recordOf(), plan, progressOf(0, [failed]));
    expect(ending.message).toBe('Wave 1 of 1: ep-7 is in a failed state.');
  });

  test('H07: a live version that went back', () => {
    const progress = progressOf(1, [converged, converged, progressing]);
    expect(describeRegress(recordOf(), planOf([1, 2]), progress)).toEqual({
      outcome: 'Failed',
      reason: 'LiveRegressed',
      message: 'Wave 2 of 2: web-3 is no longer live on version 3 after the bake.',
    });
  });

  test('X06: what somebody else moved, and only that', () => {
    const progress = progressOf(1, [converged, seen('superseded'), progressing, seen('reverted')]);
    const ending = describeSuperseded(recordOf(), planOf([1, 3]), progress);
    expect(ending).toMatchObject({ outcome: 'Superseded', reason: 'Superseded' });
    expect(ending.message).toBe(
      'Wave 2 of 2: web-2 and web-4 are in the hands of somebody else on the way to version 3.',
    );
  });
});
