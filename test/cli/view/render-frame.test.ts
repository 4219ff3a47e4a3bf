import { describe, expect, test } from '@jest/globals';
import { renderFrame } from '../../../lib/cli/view/render-frame.ts';
import { createRolloutModel, type RolloutModel } from '../../../lib/cli/view/rollout-model.ts';
import type { Endpoint } from '../../../lib/domain/endpoint.ts';
import { fakeScreen } from './fake-screen.ts';

describe('renderFrame', () => {
  test('shows waves, endpoints and what happens now', () => {
    expect(renderFrame(midRollout(4), 12_300, fakeScreen(90)).join('\n')).toBe(
      `shop → version 2

✔ Wave 1  ████████████████████  1/1
● Wave 2  ██████████░░░░░░░░░░  1/2
○ Wave 3  ░░░░░░░░░░░░░░░░░░░░  0/1

Endpoint  Live → target  Replicas  Status           Rollout
web-1     2                     3  ACTIVE           converged
web-2     2                     3  ACTIVE           converged
web-3     1 → 2                 2  WAITING_ROLLOUT  progressing
web-4     1                     3  ACTIVE           pending

Wave 2 of 3: Waiting for the next look at the list · 12 s`,
    );
  });

  test.each([20, 40, 80])('no line is wider than a terminal of %i columns', (columns) => {
    for (const line of renderFrame(midRollout(4), 0, fakeScreen(columns))) {
      expect([...line].length).toBeLessThanOrEqual(columns);
    }
  });

  test('a narrow terminal keeps names, versions and states whole', () => {
    const frame = renderFrame(midRollout(4), 0, fakeScreen(40));
    expect(frame).toContainEqual(expect.stringMatching(/^web-3 +1 → 2 +progressing$/));
  });

  test('a fleet that does not fit is cut around the current wave, and says so', () => {
    const frame = renderFrame(midRollout(100), 0, fakeScreen(80, 20));
    expect(frame.length).toBeLessThan(20);
    expect(frame).toContainEqual(expect.stringContaining('web-3 '));
    expect(frame).toContainEqual('… and 91 more');
  });

  test('what happened to an old endpoint stands in its row', () => {
    const model = midRollout(4);
    const entry = { at: 0, operation: 'stop', endpointId: 'id-3' } as const;
    model.onWrites([{ ...entry, result: 'accepted' }]);
    expect(renderFrame(model, 0, fakeScreen(90))).toContainEqual(
      expect.stringMatching(/^web-3 .*stopped$/),
    );
    model.onWrites([{ ...entry, result: 'kept', reason: 'min-serving' }]);
    expect(renderFrame(model, 0, fakeScreen(90))).toContainEqual(
      expect.stringMatching(/^web-3 .*kept: min-serving$/),
    );
  });

  test('C11: a name cannot send escape codes to the terminal', () => {
    const model = createRolloutModel('\u001b[31mshop', 2);
    expect(renderFrame(model, 0, fakeScreen(80)).join('')).not.toContain('\u001b');
  });
});

/** Wave 1 is done, of wave 2 one of two endpoints, wave 3 is the rest. */
function midRollout(total: number): RolloutModel {
  const model = createRolloutModel('shop', 2);
  const numbers = Array.from({ length: total }, (_, index) => index + 1);
  model.onPlan({
    endpoints: numbers.map((number) => ({
      endpointId: `id-${number}`,
      name: `web-${number}`,
      previousVersion: 1,
      previousTarget: 1,
      failedBefore: false,
    })),
    waves: [
      { from: 0, to: 1 },
      { from: 1, to: 3 },
      { from: 3, to: total },
    ],
    leftOut: [],
    maxUnavailable: 2,
  });
  model.onProgress({
    wave: 1,
    progressedAt: 0,
    readAt: 0,
    furthest: 8,
    observations: [
      { state: 'converged', reads: 2 },
      { state: 'converged', reads: 2 },
      { state: 'progressing', reads: 1 },
    ],
  });
  model.onList(numbers.map((number) => endpoint(number)));
  model.state = 'Wait to poll';
  return model;
}

function endpoint(number: number): Endpoint {
  const isRolling = number === 3;
  return {
    id: `id-${number}`,
    name: `web-${number}`,
    version: null,
    liveVersion: number < 3 ? 2 : 1,
    targetVersion: number < 4 ? 2 : 1,
    replicas: isRolling ? 2 : 3,
    url: null,
    status: isRolling ? 'WAITING_ROLLOUT' : 'ACTIVE',
  };
}
