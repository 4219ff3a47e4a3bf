import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createHandler } from '../../functions/create-handler.ts';
import {
  openCreate,
  openService,
  openWriteContext,
} from '../../lib/adapters/lambda/step-context.ts';
import { parseConfig } from '../../lib/contract/config/config.ts';
import {
  createEndpoint,
  listEndpoints,
  rollEndpoints,
  stopEndpoints,
} from '../../lib/handlers/endpoints.ts';
import { captureOutput } from '../support/capture-output.ts';
import {
  type FakeSecretsManager,
  SECRET_ARN,
  startSecretsManager,
} from '../support/secrets-manager.ts';
import { writeStepEnv } from '../support/step-env.ts';
import { CANARIES, CLIENT, expectNoCanary, textOfError } from './canary.ts';
import { HOSTILE_ANSWERS, type HostileService, startHostileService } from './hostile-service.ts';

let aws: FakeSecretsManager;
let service: HostileService;

beforeEach(async () => {
  aws = await startSecretsManager(JSON.stringify(CLIENT));
  service = await startHostileService();
  const config = parseConfig({
    endpointUrl: service.url,
    auth: {
      kind: 'client-credentials',
      tokenUrl: service.tokenUrl,
      secret: { awsSecret: SECRET_ARN },
    },
  });
  Object.assign(process.env, aws.env, writeStepEnv(config));
});

afterEach(() => aws.close());

test('the environment of a function holds no secret', () => {
  expectNoCanary(JSON.stringify(process.env));
});

test('functions that succeed log and answer no secret', async () => {
  const text = await textOfAll();
  expect(text).toContain('list succeeded');
  expectNoCanary(text);
});

// Answers that a call is retried on, or waits for, are left to the tests of the client.
const QUICK = ['401', '403', '404', '409', '400', '200 with', 'a redirect', 'a row', 'JSON'];
const answers = Object.entries(HOSTILE_ANSWERS).filter(([name]) =>
  QUICK.some((start) => name.startsWith(start)),
);

test.each(answers)('functions that get %s log and throw no secret', async (_, answer) => {
  service.answer = answer;
  const text = await textOfAll();
  expect(text).toContain('list failed');
  expectNoCanary(text);
});

test.each(answers)('functions whose mint gets %s log and throw no secret', async (_, answer) => {
  service.mint = answer;
  const text = await textOfAll();
  expect(text).toContain('list failed');
  expectNoCanary(text);
});

test.each([
  ['cut', `{"SecretString":"${CANARIES.clientSecret}`],
  ['no JSON', CANARIES.clientSecret],
  ['of another form', JSON.stringify({ SecretString: CLIENT })],
])('an answer of Secrets Manager that is %s is not logged or thrown', async (_, body) => {
  aws.answer((response) => {
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(body);
  });
  const text = await textOfAll();
  expect(text).toContain('SecretUnavailable');
  expectNoCanary(text);
});

/** What the four functions log, answer and throw. */
async function textOfAll(): Promise<string> {
  const endpointIds = ['e1', 'e2'];
  const runs = [
    [createHandler('list', openService, listEndpoints), {}],
    [createHandler('create', openCreate, createEndpoint), { name: 'x' }],
    [createHandler('roll', openWriteContext, rollEndpoints), { version: 2, endpointIds }],
    [createHandler('stop', openService, stopEndpoints), { endpointIds }],
  ] as const;
  const texts: string[] = [];
  const logged = await captureOutput(async () => {
    for (const [handler, event] of runs) {
      const text = handler({ runtimeId: 'shop', ...event }).then(JSON.stringify, textOfError);
      texts.push(await text);
    }
  });
  return [logged, ...texts].join('\n');
}
