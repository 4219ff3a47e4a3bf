import { describe, expect, test } from '@jest/globals';
import { ErrorName, SteprollError } from '../../../../lib/domain/errors.ts';
import { CREDENTIALS } from '../../../support/agentcore/signature.ts';
import { closeDoublesAfterEach, openDouble } from './open-double.ts';

closeDoublesAfterEach();

const lost = (carriedOut: boolean) => ({ kind: 'lost' as const, carriedOut });
const error = (name: string, headers?: Record<string, string>) => ({
  kind: 'error' as const,
  name,
  ...(headers && { headers }),
});

describe('a roll without an answer', () => {
  test('is in doubt, and not sent again', async () => {
    const { service, id, double } = await openDouble({
      disturb: (_call, nth) => (nth === 1 ? lost(true) : null),
    });

    await expect(service.roll(id, 'canary', 2)).rejects.toMatchObject({
      name: ErrorName.OutcomeUnknown,
    });
    expect(double.calls).toHaveLength(1);
  });

  test('is carried out once, when it is sent once more with its token', async () => {
    const { service, id, double } = await openDouble({
      disturb: (_call, nth) => (nth === 1 ? lost(true) : null),
    });
    const token = 'a'.repeat(64);

    await expect(service.roll(id, 'canary', 2, undefined, token)).rejects.toThrow();
    await service.roll(id, 'canary', 2, undefined, token);
    expect(double.updates).toEqual([{ endpoint: 'canary', version: 2 }]);
  });

  test('has an unknown outcome, too, when its yes cannot be read', async () => {
    const answer = { status: 202, headers: { 'content-type': 'text/html' }, body: '<p>Hello' };
    const { service, id, double } = await openDouble({
      disturb: () => ({ kind: 'answer', answer }),
    });

    await expect(service.roll(id, 'canary', 2)).rejects.toMatchObject({
      name: ErrorName.OutcomeUnknown,
      httpStatus: 202,
    });
    expect(double.calls).toHaveLength(1);
  });
});

describe('an error of the service', () => {
  test.each([
    ['AccessDeniedException', ErrorName.UpstreamAuth, 403],
    ['ExpiredTokenException', ErrorName.UpstreamAuth, 403],
    ['ConflictException', ErrorName.UpstreamConflict, 409],
    ['ResourceNotFoundException', ErrorName.UpstreamNotFound, 404],
    ['ValidationException', ErrorName.UpstreamRejected, 400],
    ['ServiceQuotaExceededException', ErrorName.UpstreamRejected, 402],
  ])('%s ends a list and a roll at once as %s', async (name, ours, httpStatus) => {
    const { service, id, double } = await openDouble({ disturb: () => error(name) });
    const expected = {
      name: ours,
      httpStatus,
      message: expect.stringContaining(`${httpStatus} ${name}: This call is disturbed.`),
    };

    await expect(service.list(id)).rejects.toMatchObject(expected);
    await expect(service.roll(id, 'canary', 2)).rejects.toMatchObject(expected);
    expect(double.calls).toHaveLength(2);
  });

  test('InternalServerException is worth another try of a list, and leaves a roll in doubt', async () => {
    const { service, id, double } = await openDouble({
      disturb: () => error('InternalServerException'),
    });

    await expect(service.list(id)).rejects.toMatchObject({ name: ErrorName.UpstreamTransient });
    await expect(service.roll(id, 'canary', 2)).rejects.toMatchObject({
      name: ErrorName.OutcomeUnknown,
    });
    expect(double.calls).toHaveLength(4);
  });

  test('of a gateway, which is no JSON, is told by its status and its words', async () => {
    const answer = {
      status: 502,
      headers: { 'content-type': 'text/html' },
      body: '<p>Bad gateway',
    };
    const { service, id } = await openDouble({ disturb: () => ({ kind: 'answer', answer }) });

    await expect(service.list(id)).rejects.toMatchObject({
      name: ErrorName.UpstreamTransient,
      httpStatus: 502,
      message: expect.stringContaining('502 <p>Bad gateway'),
    });
  });

  test('that throttles is obeyed: every call waits as long as it says', async () => {
    const { service, id, clock, double } = await openDouble({
      disturb: ({ operation }, nth) =>
        operation === 'ListAgentRuntimeEndpoints' && nth === 1
          ? error('ThrottlingException', { 'retry-after': '2' })
          : null,
    });

    await Promise.all([service.list(id), service.listVersions(id)]);
    expect(clock.waits).toContain(2_000);
    await service.roll(id, 'canary', 2);
    expect(double.updates).toHaveLength(1);
  });

  test('that throttles for longer than the call may take is told with its time', async () => {
    const { service, id, double } = await openDouble({
      disturb: () => error('ThrottlingException', { 'retry-after': '60' }),
    });
    const expected = { name: ErrorName.UpstreamThrottled, retryAfterSeconds: 60 };

    await expect(service.roll(id, 'canary', 2)).rejects.toMatchObject(expected);
    await expect(service.list(id)).rejects.toMatchObject(expected);
    expect(double.calls).toHaveLength(1);
  });

  test('that throttles under another status is still no refusal', async () => {
    const { service, id } = await openDouble({
      disturb: () => ({
        kind: 'answer',
        answer: {
          status: 400,
          headers: { 'x-amzn-errortype': 'ThrottlingException:http://internal/' },
          body: '{"message":"Rate exceeded"}',
        },
      }),
    });

    await expect(service.list(id)).rejects.toMatchObject({
      name: ErrorName.UpstreamThrottled,
      httpStatus: 400,
    });
  });
});

describe('a clock of this machine that is wrong', () => {
  const HOUR_MS = 3_600_000;

  test('is corrected by what the service says: the next call is right', async () => {
    const { service, id, double } = await openDouble({
      disturb: (_call, nth) =>
        nth === 1
          ? error('InvalidSignatureException', {
              date: new Date(Date.now() + HOUR_MS).toUTCString(),
            })
          : null,
    });

    await expect(service.roll(id, 'canary', 2)).rejects.toMatchObject({
      name: ErrorName.UpstreamAuth,
    });
    expect(await service.roll(id, 'canary', 2)).toMatchObject({ targetVersion: 2 });
    expect(double.updates).toHaveLength(1);
  });

  test('is no reason for another try when the time is right', async () => {
    const { service, id, double } = await openDouble({
      disturb: () => error('InvalidSignatureException', { date: new Date().toUTCString() }),
    });

    await expect(service.roll(id, 'canary', 2)).rejects.toMatchObject({
      name: ErrorName.UpstreamAuth,
    });
    expect(double.calls).toHaveLength(1);
  });
});

describe('credentials', () => {
  test('that nobody has are told with the place that was looked in; nothing is sent', async () => {
    const message = 'Token is expired.';
    const cause = Object.assign(new Error(message), { name: 'CredentialsProviderError' });
    const { service, id, double } = await openDouble(
      {},
      { credentials: () => Promise.reject(cause) },
    );
    const refusal = await service.roll(id, 'canary', 2).catch((thrown: unknown) => thrown);

    expect(refusal).toBeInstanceOf(SteprollError);
    expect(refusal).toMatchObject({
      name: ErrorName.UpstreamAuth,
      message: expect.stringContaining('nothing was sent: no credentials for AWS'),
      cause: { message },
    });
    expect(String(refusal)).toContain('aws sso login');
    expect(double.calls).toEqual([]);
  });

  test.each(['ExpiredTokenException', 'AccessDeniedException'])(
    'H17: that AWS has refused with an %s are looked for anew by the next call',
    async (name) => {
      let keys = 0;
      const { service, id } = await openDouble(
        { disturb: (_call, nth) => (nth === 1 ? error(name) : null) },
        {
          credentials: async () => {
            keys += 1;
            return CREDENTIALS;
          },
        },
      );

      await expect(service.roll(id, 'canary', 2)).rejects.toMatchObject({
        name: ErrorName.UpstreamAuth,
      });
      expect(keys).toBe(1);
      expect(await service.roll(id, 'canary', 2)).toMatchObject({ targetVersion: 2 });
      expect(keys).toBe(2);
    },
  );

  test('that come too late end the call at its deadline', async () => {
    const { service, id } = await openDouble({}, { credentials: () => new Promise(() => {}) });
    const given = AbortSignal.abort(new Error('given up'));

    await expect(service.list(id, given)).rejects.toThrow('given up');
  });
});

describe('a service that cannot be reached', () => {
  test('is worth another try, for a roll too, because nothing was sent', async () => {
    const { service, id } = await openDouble({}, { endpointUrl: 'http://127.0.0.1:1' });

    for (const call of [() => service.list(id), () => service.roll(id, 'canary', 2)]) {
      await expect(call()).rejects.toMatchObject({
        name: ErrorName.UpstreamTransient,
        message: expect.stringContaining('ECONNREFUSED'),
      });
    }
  });
});
