import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as create from '../../functions/create.ts';
import * as list from '../../functions/list.ts';
import * as roll from '../../functions/roll.ts';
import * as stop from '../../functions/stop.ts';
import { parseConfig } from '../../lib/contract/config/config.ts';
import { type GuardedService, startGuardedService } from '../support/guarded-service.ts';
import {
  type FakeSecretsManager,
  refusal,
  SECRET_ARN,
  startSecretsManager,
} from '../support/secrets-manager.ts';
import { silenceLogs } from '../support/silence-logs.ts';
import { writeStepEnv } from '../support/step-env.ts';

const CLIENT = '{"clientId":"steproll","clientSecret":"sesame"}';

let aws: FakeSecretsManager;
let service: GuardedService;

beforeAll(async () => {
  silenceLogs();
  aws = await startSecretsManager();
  service = await startGuardedService({ runtimes: [{ id: 'shop', version: 1, endpoints: 3 }] });
  const config = parseConfig({
    endpointUrl: service.url,
    auth: {
      kind: 'client-credentials',
      tokenUrl: service.tokenUrl,
      secret: { awsSecret: SECRET_ARN },
    },
  });
  Object.assign(process.env, {
    ...aws.env,
    ...writeStepEnv(config),
    AWS_REGION: 'us-east-1',
    // Nobody looks here: a function has the secret of its configuration, or none.
    STEPROLL_TOKEN: 'from-the-environment',
  });
});

afterAll(() => Promise.all([service.close(), aws.close()]));

describe('A15: a secret that cannot be read is SecretUnavailable, and nothing is sent', () => {
  beforeEach(() => {
    (service.requests as unknown[]).length = 0;
  });

  const endpointIds = ['a', 'b'];
  describe.each([
    ['AccessDeniedException', 'is not authorized to perform: secretsmanager:GetSecretValue'],
    ['DecryptionFailure', 'the KMS key is disabled'],
  ])('%s', (name, message) => {
    beforeEach(() => aws.answer(refusal(name, message)));

    test.each([
      ['list', list.handler, { runtimeId: 'shop' }],
      ['create', create.handler, { runtimeId: 'shop', name: 'x' }],
      ['roll', roll.handler, { runtimeId: 'shop', version: 2, endpointIds }],
    ])('%s', async (_, handler, event) => {
      await expect(handler(event)).rejects.toMatchObject({
        name: 'SecretUnavailable',
        message: `the secret steproll/token cannot be read: ${name}: ${message}`,
      });
      expect(service.requests).toEqual([]);
    });

    test('stop', async () => {
      expect(await stop.handler({ runtimeId: 'shop', endpointIds })).toEqual(
        endpointIds.map((endpointId) =>
          expect.objectContaining({ endpointId, reason: 'SecretUnavailable' }),
        ),
      );
      expect(service.requests).toEqual([]);
    });
  });
});

describe('with the secret', () => {
  beforeAll(() => aws.answer(CLIENT));

  test('list, roll and stop are let in', async () => {
    const page = (await list.handler({ runtimeId: 'shop' })) as { endpoints: { id: string }[] };
    const endpointIds = page.endpoints.map(({ id }) => id);
    expect(await roll.handler({ runtimeId: 'shop', version: 2, endpointIds })).toEqual(
      endpointIds.map((endpointId) => ({ endpointId, result: 'accepted' })),
    );
    expect(await stop.handler({ runtimeId: 'shop', endpointIds })).toEqual(
      endpointIds.map((endpointId) => ({ endpointId, result: 'accepted' })),
    );
    expect(service.requests.every(({ status }) => status === 200)).toBe(true);
  });

  test('H31: ids that cannot stand in a path are all named before anything is sent', async () => {
    (service.requests as unknown[]).length = 0;
    for (const { handler } of [roll, stop]) {
      const event = { runtimeId: '..', endpointIds: ['web-1', '.', 'a\u0000'] };
      await expect(handler(event)).rejects.toMatchObject({
        name: 'InvalidInput',
        message: expect.stringMatching(/runtimeId: .*endpointIds\[1\]: .*endpointIds\[2\]: /s),
      });
    }
    expect(service.requests).toEqual([]);
  });
});
