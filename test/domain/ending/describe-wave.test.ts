import { describe, expect, test } from '@jest/globals';
import {
  describeGate,
  describeLoss,
  describeSuperseded,
} from '../../../lib/domain/ending/failure.ts';
import { describeNothingToDo, describeSuccess } from '../../../lib/domain/ending/success.ts';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import type { Observation } from '../../../lib/domain/endpoint/observation.ts';
import type { GateReading } from '../../../lib/domain/rollout/gates.ts';
import type { LeftOutEndpoint, LeftOutReason } from '../../../lib/domain/rollout/plan.ts';
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
      '3 endpoints rolled to version 3 in 2 waves. Left alone: 2 at the version already, 1 stopped already (c).',
    ],
  ])('counts %#', (plan, message) => {
    const progress = progressOf(
      plan.waves.length - 1,
      plan.ids.map(() => converged),
    );
    expect(describeSuccess(recordOf(), plan, progress, [])).toEqual({
      outcome: 'Succeeded',
      reason: 'Converged',
      message,
    });
  });

  test('says which endpoints were lost within the failure threshold', () => {
    const progress = progressOf(0, [converged, failed, converged, seen('missing', 3)]);
    expect(describeSuccess(recordOf(), planOf([4]), progress, [])).toEqual({
      outcome: 'Succeeded',
      reason: 'ConvergedWithinThreshold',
      message:
        '2 endpoints rolled to version 3 in 1 wave. Lost within the failure threshold: web-2 and web-4 are not live on it.',
    });
  });

  test.each<[LeftOutReason, string]>([
    ['not-selected', '1 not selected'],
    ['moved', '1 elsewhere or gone by now'],
    ['previous-unknown', '1 without a known previous version'],
  ])('says what was left alone: %s', (reason, words) => {
    const plan = planOf([], { leftOut: [{ endpointId: 'a', name: 'a', reason }] });
    expect(describeNothingToDo(recordOf().request, plan).message).toBe(
      `Nothing to do for version 3. Left alone: ${words}.`,
    );
  });

  test('E02: nothing to do is success too', () => {
    expect(describeNothingToDo(recordOf().request, planOf([], { leftOut }))).toEqual({
      outcome: 'Succeeded',
      reason: 'NothingToDo',
      message:
        'Nothing to do for version 3. Left alone: 2 at the version already, 1 stopped already (c).',
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
      progressOf(1, [converged, ...observations], { stuckMs: 607_900, readAt: 608_900 }),
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
      failure: 'stuck',
      reason: 'EndpointFailed',
      message: `Wave 2 of 2: ${names} stuck in a failed state.`,
    });
  });

  test('a stalled wave names what is not live', () => {
    expect(loss('Stalled', [converged, progressing, seen('requested')])).toEqual({
      outcome: 'Failed',
      failure: 'stuck',
      reason: 'Stalled',
      message:
        'Wave 2 of 2 made no progress for 10 min 8 s: web-3 and web-4 are not live on version 3.',
    });
  });

  test('a stalled wave of which nothing was rolled says so', () => {
    expect(loss('Stalled', [seen('pending'), seen('pending')]).message).toBe(
      'Wave 2 of 2 made no progress for 10 min 8 s: web-2 and web-3 are not rolled yet.',
    );
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
      'Wave 2 of 2: web-2 is not rolled, because the service refused it. PUT /x: 422 no.',
    );
  });

  test('H20: a refusal of the service is told even where another endpoint failed first', () => {
    const refused = line('roll', 'web-3', 'rejected', 'UpstreamRejected', 'PUT /x: 422 no.');
    const ending = loss('EndpointFailed', [failed, failed], [refused]);
    expect(ending).toEqual({
      outcome: 'Failed',
      failure: 'stuck',
      reason: 'UpstreamRejected',
      message: 'Wave 2 of 2: web-2 and web-3 are not rolled or in a failed state. PUT /x: 422 no.',
    });
  });

  test('a refusal of an endpoint that has not failed is not the reason', () => {
    const refused = line('roll', 'web-3', 'rejected', 'UpstreamConflict', 'PUT /x: 409 busy.');
    expect(loss('EndpointFailed', [failed, progressing], [refused])).toMatchObject({
      reason: 'EndpointFailed',
      message: 'Wave 2 of 2: web-2 is stuck in a failed state.',
    });
  });

  test('each of several reasons is told, each once, and of many the first three', () => {
    const why = (...reasons: string[]) => {
      const seen = reasons.map((statusReason) => ({ ...failed, statusReason }));
      const plan = planOf([seen.length]);
      return describeLoss('EndpointFailed', recordOf(), plan, progressOf(0, seen)).message;
    };
    expect(why('no image', 'no memory.', 'no image')).toBe(
      'Wave 1 of 1: web-1, web-2 and web-3 are stuck in a failed state. web-1: no image. web-2: no memory.',
    );
    expect(why('1', '2', '3', '4', '5')).toMatch(
      /and 2 more are .* web-1: 1. web-2: 2. web-3: 3.$/,
    );
  });

  test('an endpoint of a wave before is named like any other', () => {
    const progress = progressOf(1, [failed, progressing]);
    expect(describeLoss('EndpointFailed', recordOf(), planOf([1, 1]), progress).message).toBe(
      'Wave 2 of 2: web-1 is stuck in a failed state.',
    );
  });

  test('an endpoint without a name goes by its id', () => {
    const plan = planOf([1], { endpoints: [planned('ep-7', { name: null })] });
    const ending = describeLoss('EndpointFailed', recordOf(), plan, progressOf(0, [failed]));
    expect(ending.message).toBe('Wave 1 of 1: ep-7 is stuck in a failed state.');
  });

  const wasLive = (one: Observation): Observation => ({ ...one, furthest: 4 });

  test('H07: a live version that went back', () => {
    const progress = progressOf(1, [converged, converged, wasLive(progressing)]);
    expect(describeLoss('LiveRegressed', recordOf(), planOf([1, 2]), progress)).toEqual({
      outcome: 'Failed',
      failure: 'bad',
      reason: 'LiveRegressed',
      message: 'Wave 2 of 2: web-3 is no longer healthy on version 3.',
    });
  });

  test('H07: of what got lost in a bake it says what became of each, and what the service says', () => {
    const ill = wasLive({ ...failed, statusReason: 'out of memory' });
    const lost = [ill, seen('missing', 3), seen('superseded')].map(wasLive);
    const progress = progressOf(0, [...lost, converged]);
    expect(describeLoss('LiveRegressed', recordOf(), planOf([4]), progress).message).toBe(
      'Wave 1 of 1: web-1 is no longer healthy on version 3, web-2 is gone from the list, web-3 is elsewhere by now. web-1: out of memory.',
    );
  });

  test('X06: what another rollout has, and only that', () => {
    const progress = progressOf(1, [converged, seen('superseded'), progressing, seen('reverted')]);
    const ending = describeSuperseded(recordOf(), planOf([1, 3]), progress);
    expect(ending).toMatchObject({ outcome: 'Superseded', reason: 'Superseded' });
    expect(ending.message).toBe(
      'Wave 2 of 2: web-2 and web-4 are in the hands of somebody else on the way to version 3.',
    );
  });

  const elsewhere = (of: 'target' | 'live', version: number): Observation => ({
    ...seen('superseded'),
    elsewhere: { of, version },
  });

  test.each<[string, Observation[], string]>([
    [
      'the target of before',
      [elsewhere('target', 2)],
      'web-1 is not on the way to version 3: web-1 has the target 2 again. Somebody else may have moved it, or the service.',
    ],
    [
      'another target, another live version, and one that goes on',
      [elsewhere('target', 9), progressing, elsewhere('live', 8)],
      'web-1 and web-3 are not on the way to version 3: web-1 has the target 9, web-3 is live on 8. Somebody else may have moved them, or the service.',
    ],
    [
      'many of them',
      [7, 8, 9, 10].map((version) => elsewhere('target', version)),
      'web-1, web-2, web-3 and 1 more are not on the way to version 3: web-1 has the target 7, web-2 has the target 8, web-3 has the target 9. Somebody else may have moved them, or the service.',
    ],
  ])('X06: says what was seen, and calls a guess a guess: %s', (_, observations, words) => {
    const plan = planOf([observations.length]);
    const { message } = describeSuperseded(recordOf(), plan, progressOf(0, observations));
    expect(message).toBe(`Wave 1 of 1: ${words}`);
  });
});

describe('a roll that never showed', () => {
  const roll = [line('roll', 'web-1', 'intended'), line('roll', 'web-1', 'accepted')];
  const twice = [...roll, ...roll];
  const described = (journal: readonly JournalEntry[], readAt: number) =>
    describeLoss(
      'EndpointFailed',
      recordOf(journal),
      planOf([1]),
      progressOf(0, [{ ...failed, since: 0 }], { readAt }),
    );

  test('H08: asked twice, the service did not roll it', () => {
    expect(described(twice, 60_000)).toEqual({
      outcome: 'Failed',
      failure: 'stuck',
      reason: 'RollNotStarted',
      message: 'Wave 1 of 1: web-1 is not seen rolling, although the service was asked twice.',
    });
  });

  test('H08: a failure after one roll, or soon after the second, has another reason', () => {
    expect(described(roll, 60_000)).toMatchObject({ reason: 'EndpointFailed' });
    expect(described(twice, 59_999)).toMatchObject({ reason: 'EndpointFailed' });
  });
});

describe('a gate', () => {
  const progress = progressOf(1, [converged, converged]);
  const reading = (name: string, detail: string): GateReading => ({
    name,
    kind: 'probe',
    verdict: 'fail',
    detail,
  });

  test('that says no is told with what it answered', () => {
    const alarm: GateReading = { name: 'errors', kind: 'alarm', verdict: 'fail', detail: 'ALARM' };
    const readings = [reading('web-2', '503'), alarm];
    expect(describeGate('GateFailed', planOf([1, 1]), progress, readings)).toEqual({
      outcome: 'Failed',
      failure: 'bad',
      reason: 'GateFailed',
      message: 'Wave 2 of 2: a gate says no: probe web-2: 503; alarm errors: ALARM.',
    });
  });

  test('that says nothing leaves us without knowledge', () => {
    const readings = [{ ...reading('web-2', 'no answer'), verdict: 'unknown' as const }];
    expect(describeGate('GateUnknown', planOf([1, 1]), progress, readings)).toEqual({
      outcome: 'Errored',
      reason: 'GateUnknown',
      message:
        'Wave 2 of 2: no answer from its gates: probe web-2: no answer. Nobody knows whether the version works, so nothing is stopped or taken back.',
    });
  });

  test('that says no and takes it back, up to the end, has answered', () => {
    const { message } = describeGate('GateUnknown', planOf([1, 1]), progress, [
      reading('web-2', '503'),
    ]);
    expect(message).toContain('its gates say no and yes in turn: probe web-2: 503.');
  });

  test('is named, and at most three of them', () => {
    const readings = ['a', 'b', 'c', 'd', 'e'].map((name) => reading(name, '500'));
    expect(describeGate('GateFailed', planOf([1, 1]), progress, readings).message).toBe(
      'Wave 2 of 2: a gate says no: probe a: 500; probe b: 500; probe c: 500 and 2 more.',
    );
  });
});
