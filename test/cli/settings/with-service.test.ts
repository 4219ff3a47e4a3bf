import { describe, expect, test } from '@jest/globals';
import { type Connecting, withService } from '../../../lib/cli/settings/service.ts';
import { DEFAULT_WIRE } from '../../../lib/contract/service/wire.ts';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';

const URL = 'http://127.0.0.1:1';
const prepared: Connecting = {
  options: { '--endpoint-url': URL, '--debug': false, '--debug-answers': false },
  settings: new Map([
    ['--endpoint-url', { value: URL, from: 'FILE, endpointUrl' }],
    ['--config', { value: 'FILE', from: '--config' }],
  ]),
  config: { policies: {}, runtimes: {}, wire: DEFAULT_WIRE },
  credentials: { settings: { kind: 'none' }, from: 'default' },
};

function failWith(error: Error) {
  return withService(prepared, () => Promise.reject(error));
}

describe('working with the service', () => {
  test('where nothing answers the error says once where the URL is from, and keeps its cause', async () => {
    const error = new SteprollError(ErrorName.UpstreamTransient, 'GET /: refused');
    await expect(failWith(error)).rejects.toMatchObject({
      name: 'UpstreamTransient',
      message: `GET /: refused\nThe endpoint URL is ${URL}, from FILE, endpointUrl.`,
      cause: error,
    });
  });

  test('any other error stays what it is', async () => {
    for (const error of [new SteprollError(ErrorName.LeaseHeld, 'Held.'), new TypeError('bug')]) {
      await expect(failWith(error)).rejects.toBe(error);
    }
  });
});
