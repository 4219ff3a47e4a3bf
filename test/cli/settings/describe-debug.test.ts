import { describe, expect, test } from '@jest/globals';
import { describeExchange, describeSettings } from '../../../lib/cli/settings/debug.ts';
import { mergeSettings } from '../../../lib/cli/settings/settings.ts';

describe('--debug', () => {
  test('C11: says where each setting came from, and of credentials only the kind', () => {
    const settings = mergeSettings({
      given: { '--debug': true, '--query': 'a\u001b', id: 'shop' },
      environment: { STEPROLL_REGION: 'eu-1' },
      files: [
        {
          kind: 'profile',
          isNamed: true,
          isTyped: false,
          name: 'profile "prod" in FILE',
          values: { endpoint_url: 'https://{region}.example' },
        },
      ],
    });
    const credentials = {
      settings: { kind: 'bearer', secret: { environment: 'STEPROLL_TOKEN' } },
      from: 'STEPROLL_TOKEN',
    } as const;
    const options = { '--endpoint-url': 'https://eu-1.example' };
    expect(describeSettings({ options, settings, credentials })).toEqual([
      'endpoint-url https://eu-1.example, from profile "prod" in FILE, endpoint_url',
      'service rest, from profile "prod" in FILE, endpoint_url',
      'region eu-1, from STEPROLL_REGION',
      'query a\uFFFD, from the command line',
      'debug true, from the command line',
      'credentials bearer, from STEPROLL_TOKEN',
    ]);
    const none = { settings: { kind: 'none' }, from: '' } as const;
    expect(describeSettings({ options, settings: new Map(), credentials: none })).toEqual([
      'credentials none',
    ]);
  });

  test('says nothing of credentials where no service is called', () => {
    const settings = mergeSettings({ given: { '--debug': true }, environment: {} });
    const credentials = { settings: { kind: 'none' }, from: 'default' } as const;
    expect(describeSettings({ options: {}, settings, credentials })).toEqual([
      'debug true, from the command line',
    ]);
  });

  test('C11: shows a request and its answer, without what a terminal would obey', () => {
    const exchange = {
      method: 'POST',
      origin: 'https://a.example',
      path: '/x',
      requestHeaders: { authorization: '[hidden]' },
      requestBody: '{"name":"web"}',
      status: 201,
      error: null,
      answerExcerpt: '{"id":"\u001b[2J"}',
      milliseconds: 12.4,
    };
    expect(describeExchange(exchange)).toEqual([
      'POST https://a.example/x 201 12 ms',
      '> authorization: [hidden]',
      '> {"name":"web"}',
      '< {"id":"\uFFFD[2J"}',
    ]);
    const lost = {
      ...exchange,
      status: null,
      error: 'ECONNRESET',
      requestBody: null,
      answerExcerpt: null,
    };
    expect(describeExchange(lost)[0]).toBe('POST https://a.example/x ECONNRESET 12 ms');
  });
});
