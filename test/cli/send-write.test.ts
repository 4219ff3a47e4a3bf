import { describe, expect, test } from '@jest/globals';
import { sendWrite } from '../../lib/cli/endpoint.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';

const MAY = 'The stop may have been carried out: look at the list before you send it again.';
const NOT = 'The stop was not carried out.';

function failing(error: unknown) {
  return sendWrite('stop', () => Promise.reject(error));
}

describe('a write', () => {
  test('answers what the service answers', async () => {
    expect(await sendWrite('stop', () => Promise.resolve(7))).toBe(7);
  });

  test('in doubt says so, with the cause kept', async () => {
    const cause = new SteprollError(ErrorName.OutcomeUnknown, 'POST /stop: 500', {
      httpStatus: 500,
    });
    await expect(failing(cause)).rejects.toMatchObject({
      name: 'OutcomeUnknown',
      message: `POST /stop: 500\n${MAY}`,
      cause,
    });
  });

  test('that never left says that it was not carried out', async () => {
    const cause = new SteprollError(ErrorName.UpstreamTransient, 'POST /stop: ECONNREFUSED');
    await expect(failing(cause)).rejects.toMatchObject({
      name: 'UpstreamTransient',
      message: 'POST /stop: ECONNREFUSED\nThe stop was not carried out; ask again in a moment.',
    });
  });

  test('H14: that was throttled says when to ask again', async () => {
    const cause = new SteprollError(ErrorName.UpstreamThrottled, 'POST /stop: 429', {
      httpStatus: 429,
      retryAfterSeconds: 7,
    });
    await expect(failing(cause)).rejects.toMatchObject({
      name: 'UpstreamThrottled',
      message: 'POST /stop: 429\nThe stop was not carried out; ask again after 7 s.',
    });
  });

  test("that the service refuses keeps the service's words", async () => {
    const no = new SteprollError(ErrorName.UpstreamConflict, 'POST /stop: 409', {
      httpStatus: 409,
    });
    await expect(failing(no)).rejects.toBe(no);
  });

  test('that fails for a reason that nobody knows is in doubt', async () => {
    await expect(failing(new TypeError('x is null'))).rejects.toMatchObject({
      name: 'OutcomeUnknown',
      message: `x is null\n${MAY}`,
    });
  });
});

describe('Ctrl-C at a write', () => {
  const interrupted = (fail: (reason: unknown) => unknown) =>
    sendWrite('stop', (signal) => {
      process.emit('SIGINT');
      return Promise.reject(fail(signal.reason));
    });

  test('that is under way: it may have been carried out', async () => {
    const inDoubt = (cause: unknown) => new SteprollError(ErrorName.OutcomeUnknown, '', { cause });
    await expect(interrupted(inDoubt)).rejects.toMatchObject({ name: 'Interrupted', message: MAY });
  });

  test('that had not left: it was not carried out', async () => {
    const notSent = (reason: unknown) => reason;
    await expect(interrupted(notSent)).rejects.toMatchObject({ name: 'Interrupted', message: NOT });
  });

  test('listens for it no longer than the write takes', async () => {
    const before = process.listenerCount('SIGINT');
    await expect(interrupted((reason) => reason)).rejects.toThrow();
    expect(process.listenerCount('SIGINT')).toBe(before);
  });
});
