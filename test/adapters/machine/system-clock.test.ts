import { expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';

test('a sleep ends by itself', async () => {
  await expect(systemClock.sleep(1, new AbortController().signal)).resolves.toBeUndefined();
});

test('a sleep that is aborted rejects with the reason of the abort, at once', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const sleeping = systemClock.sleep(3_600_000, controller.signal);
  controller.abort(reason);

  await expect(sleeping).rejects.toBe(reason);
});

test('a sleep with a signal that is aborted already never begins', async () => {
  const reason = new Error('too late');

  await expect(systemClock.sleep(3_600_000, AbortSignal.abort(reason))).rejects.toBe(reason);
});
