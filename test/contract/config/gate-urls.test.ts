import { expect, test } from '@jest/globals';
import { parseConfig } from '../../../lib/contract/config/config.ts';

const gatesAt = (url: string) => ({
  checks: [{ name: 'smoke', url }],
  prometheus: [{ name: 'errors', url, query: 'up', above: 1 }],
});

const configOf = (url: string, allowHttp?: readonly string[]) =>
  parseConfig({
    ...{
      endpointUrl: 'https://endpoints.example.com',
      policies: { default: { verify: gatesAt(url) } },
    },
    ...(allowHttp && { allowHttp }),
  });

test('a gate is called over plain http only at a host that the configuration allows', () => {
  const url = 'http://monitor.shop.svc.cluster.local:9090';

  expect(() => configOf(url)).toThrow(/prometheus.*allowHttp.*\n.*checks.*allowHttp/);
  expect(() => configOf(url, ['other.example.com'])).toThrow('allowHttp');
  expect(configOf(url, ['*.svc.cluster.local']).policies.default?.verify).toMatchObject(
    gatesAt(url),
  );
  expect(configOf('http://127.0.0.1:9090').policies.default?.verify).toMatchObject(
    gatesAt('http://127.0.0.1:9090'),
  );
});
