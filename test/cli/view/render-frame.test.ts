import { describe, expect, test } from '@jest/globals';
import { renderFrame } from '../../../lib/cli/view/render-frame.ts';
import { createRolloutModel, type RolloutModel } from '../../../lib/cli/view/rollout-model.ts';
import type { Endpoint } from '../../../lib/domain/endpoint.ts';
import { planBackOf, planOf, progressOf, seen } from '../../domain/examples.ts';
import { fakeScreen } from './fake-screen.ts';

describe('renderFrame', () => {
  test('shows waves, endpoints and what happens now', () => {
    expect(renderFrame(midRollout(4), 12_300, fakeScreen(90)).join('\n')).toBe(
      `shop → version 3

✔ Wave 1  ████████████████████  1/1
● Wave 2  ██████████░░░░░░░░░░  1/2
○ Wave 3  ░░░░░░░░░░░░░░░░░░░░  0/1

Endpoint  Live → target  Replicas  Status           Rollout
web-1     3                     3  ACTIVE           converged
web-2     3                     3  ACTIVE           converged
web-3     2 → 3                 2  WAITING_ROLLOUT  progressing
web-4     2                     3  ACTIVE           pending

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
    expect(frame).toContainEqual(expect.stringMatching(/^web-3 +2 → 3 +progressing$/));
  });

  test('a fleet that does not fit is cut around the current wave, and says so', () => {
    const frame = renderFrame(midRollout(100), 0, fakeScreen(80, 20));
    expect(frame.length).toBeLessThan(20);
    expect(frame).toContainEqual(expect.stringContaining('web-3 '));
    expect(frame).toContainEqual('… and 91 more');
  });

  test('why it goes back takes a line from the fleet, and is cut to the terminal', () => {
    const model = midRollout(100);
    const message = 'An endpoint of the wave shows FAILED. '.repeat(9);
    const cause = { outcome: 'Failed', reason: 'EndpointFailed', message } as const;
    model.onPlan(planBackOf(100), cause);
    const frame = renderFrame(model, 0, fakeScreen(40, 20));
    expect(frame[1]).toHaveLength(40);
    expect(frame.length).toBeLessThan(20);
  });

  test('what happened to an old endpoint stands in its row', () => {
    const model = midRollout(4);
    const entry = { at: 0, operation: 'stop', endpointId: 'web-3' } as const;
    model.onWrites([{ ...entry, result: 'accepted' }]);
    expect(renderFrame(model, 0, fakeScreen(90))).toContainEqual(
      expect.stringMatching(/^web-3 .*stopped$/),
    );
    model.onWrites([{ ...entry, result: 'kept', reason: 'min-serving' }]);
    expect(renderFrame(model, 0, fakeScreen(90))).toContainEqual(
      expect.stringMatching(/^web-3 .*kept: min-serving$/),
    );
  });

  test('the way back has a title and a bar of its own, and keeps nothing of the way forward', () => {
    const model = midRollout(4);
    const message = 'web-3 shows FAILED.';
    model.onPlan(planBackOf(3), { outcome: 'Failed', reason: 'EndpointFailed', message });
    model.state = 'Turn around';
    expect(renderFrame(model, 12_300, fakeScreen(90)).join('\n')).toBe(
      `shop ← back to the versions before
web-3 shows FAILED.

● Rollback  ░░░░░░░░░░░░░░░░░░░░  0/3

Endpoint  Live → target  Replicas  Status           Rollout
web-1     3                     3  ACTIVE           pending
web-2     3                     3  ACTIVE           pending
web-3     2 → 3                 2  WAITING_ROLLOUT  pending

Rollback: Planning the way back · 12 s`,
    );

    const states = [seen('converged', 2), seen('converged', 2), seen('progressing')];
    model.onProgress(progressOf(0, states, { direction: 'back' }));
    model.state = 'Wait to poll';
    const frame = renderFrame(model, 0, fakeScreen(90));
    expect(frame).toContainEqual('● Rollback  █████████████░░░░░░░  2/3');
    expect(frame.at(-1)).toBe('Rollback: Waiting for the next look at the list · 0 s');
  });

  test('a version that is taken from another endpoint is shown once it is known', () => {
    const model = createRolloutModel('shop', null);
    expect(renderFrame(model, 0, fakeScreen(90))[0]).toBe('shop → version ?');
    model.onPlan(planOf([1]));
    expect(renderFrame(model, 0, fakeScreen(90))[0]).toBe('shop → version 3');
  });

  test('C11: a name cannot send escape codes to the terminal', () => {
    const model = createRolloutModel('\u001b[31mshop', 2);
    expect(renderFrame(model, 0, fakeScreen(80)).join('')).not.toContain('\u001b');
  });
});

/** Wave 1 is done, of wave 2 one of two endpoints, wave 3 is the rest. */
function midRollout(total: number): RolloutModel {
  const model = createRolloutModel('shop', 3);
  const plan = planOf([1, 2, total - 3], { maxUnavailable: 2 });
  model.onPlan(plan);
  model.onProgress(
    progressOf(1, [seen('converged', 2), seen('converged', 2), seen('progressing')]),
  );
  const numbers = plan.ids.map((_, index) => index + 1);
  model.onList(numbers.map((number) => endpoint(number)));
  model.state = 'Wait to poll';
  return model;
}

function endpoint(number: number): Endpoint {
  const isRolling = number === 3;
  return {
    id: `web-${number}`,
    name: `web-${number}`,
    version: null,
    liveVersion: number < 3 ? 3 : 2,
    targetVersion: number < 4 ? 3 : 2,
    replicas: isRolling ? 2 : 3,
    url: null,
    status: isRolling ? 'WAITING_ROLLOUT' : 'ACTIVE',
  };
}
