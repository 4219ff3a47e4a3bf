import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import * as openRollout from '../../functions/open-rollout.ts';
import * as start from '../../functions/start.ts';
import { parseConfig } from '../../lib/contract/config/config.ts';
import { writeFunctionEnv } from '../../lib/contract/functions/environment.ts';
import { ownRelease } from '../contract/trigger-examples.ts';
import { createCodeFolder } from '../support/code-folder.ts';
import { silenceLogs } from '../support/silence-logs.ts';
import { MACHINE_ARN } from '../support/status-change.ts';
import { writeStepEnv } from '../support/step-env.ts';

const code = createCodeFolder({});

beforeAll(() => {
  silenceLogs();
  const config = parseConfig({ endpointUrl: 'https://endpoints.example.com' });
  const machine = writeFunctionEnv({ stateMachineArn: MACHINE_ARN });
  Object.assign(process.env, { ...writeStepEnv(config), ...machine, ...code });
});

test.each([
  ['openRollout', openRollout.handler, 'policies.json', { rolloutId: 'r', input: {} }],
  ['start', start.handler, 'triggers.json', ownRelease({}, { time: new Date().toISOString() })],
])(
  '%s says which file is not beside its code, and nothing else',
  async (_, handler, name, event) => {
    await expect(handler(event)).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringMatching(`^Cannot read ${join(code.LAMBDA_TASK_ROOT, name)}: .*ENOENT`),
    });
  },
);
