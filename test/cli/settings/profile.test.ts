import { describe, expect, test } from '@jest/globals';
import { profileSchema } from '../../../lib/cli/settings/settings.ts';
import { checkInput } from '../../../lib/contract/input/parse-input.ts';

describe('a profile', () => {
  test('may say nothing, or everything', () => {
    const all = { endpoint_url: 'u', region: 'r', output: 'o', config: 'c', token_file: 't' };
    expect(checkInput(profileSchema, {})).toEqual({ data: {} });
    expect(checkInput(profileSchema, all)).toEqual({ data: all });
  });

  test('C04: every wrong key is named', () => {
    const checked = checkInput(profileSchema, { endpont_url: 'u', region: true, token: 'canary' });
    const texts = 'mistakes' in checked ? checked.mistakes.map(({ text }) => text) : [];
    expect(texts.join('\n')).toContain('endpont_url: unknown key');
    expect(texts.join('\n')).toContain('region: true is not allowed');
    expect(texts.join('\n')).toContain('token: unknown key');
    expect(texts.join('\n')).not.toContain('canary');
  });
});
