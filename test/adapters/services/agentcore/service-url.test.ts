import { expect, test } from '@jest/globals';
import { agentCoreUrl } from '../../../../lib/adapters/services/agentcore/service-url.ts';
import { ErrorName } from '../../../../lib/domain/errors.ts';

test('a URL that is given is taken instead, in the form that all URLs have', async () => {
  expect(await agentCoreUrl('eu-central-1', 'http://127.0.0.1:4566/')).toBe(
    'http://127.0.0.1:4566',
  );
});

test('a URL at which a machine hands out its own credentials is refused', async () => {
  await expect(agentCoreUrl('eu-central-1', 'http://169.254.169.254')).rejects.toMatchObject({
    name: ErrorName.InvalidInput,
  });
});
