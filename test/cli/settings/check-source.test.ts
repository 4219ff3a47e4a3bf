import { describe, expect, test } from '@jest/globals';
import { checkSource } from '../../../lib/cli/settings/settings.ts';
import { openConfigSchema } from '../../../lib/contract/config/config.ts';

const check = (value: unknown) => checkSource(openConfigSchema, value, 'FILE');

describe('what a file says', () => {
  test('counts where it is right, whatever else is wrong', () => {
    const { values, mistakes } = check({ endpointUrl: 'ftp://a', regoin: 'x', region: 7 });
    expect(values).toMatchObject({ endpointUrl: 'ftp://a' });
    expect(values).not.toHaveProperty('region');
    expect(mistakes).toEqual([
      { key: 'region', text: 'FILE, region: 7 is not allowed; use a string' },
      { key: 'regoin', text: 'FILE, regoin: unknown key (did you mean region?)' },
    ]);
  });

  test.each([null, 'text', [1], 7])('is nothing where it is %j', (value) => {
    const { values, mistakes } = check(value);
    expect(values).toBeUndefined();
    expect(mistakes).toEqual([expect.objectContaining({ key: null })]);
  });

  test('what refers to a wrong part is left out with it, and is no mistake of its own', () => {
    const { values, mistakes } = check({
      endpointUrl: 'https://a.example.com',
      policies: { default: { bakeSeconds: '10m' }, edge: {} },
      runtimes: { shop: { policy: 'edge' } },
    });
    expect(values).toMatchObject({ endpointUrl: 'https://a.example.com' });
    expect(mistakes).toEqual([expect.objectContaining({ key: 'policies' })]);
  });
});
