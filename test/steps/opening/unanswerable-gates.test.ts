import { describe, expect, test } from '@jest/globals';
import type { Probe } from '../../../lib/gates/probe.ts';
import { findUnanswerable, refuseUnanswerable } from '../../../lib/steps/opening/plan.ts';
import { endpoint, planned, planOf, policyOf } from '../../domain/examples.ts';

const probe: Probe = {
  ...{ path: '/healthz', status: 200, tries: 3, timeoutSeconds: 5 },
  ...{ hosts: ['*.example.com'], privateNetwork: false },
};

const SHOP = { runtimeId: 'shop', desiredVersion: 2 };

/** What is said of endpoints with these URLs, which are all in the plan but the last one. */
function saidOf(...urls: readonly (string | null)[]) {
  const endpoints = urls.map((url, index) => endpoint(`e-${index + 1}`, { name: null, url }));
  const inPlan = endpoints.slice(0, -1).map(({ id }) => planned(id, { name: null }));
  const policy = policyOf({ verify: { probe, alarms: [], metrics: [], approval: null } });
  return findUnanswerable({ ...SHOP, policy }, planOf([], { endpoints: inPlan }), endpoints, null);
}

describe('probes that nobody can answer', () => {
  test('none, where the hosts are allowed, whatever the others of the runtime are', async () => {
    expect(await saidOf('https://a.example.com', 'https://elsewhere.org')).toEqual([]);
  });

  test('those of each reason together, the first of them by name', async () => {
    const other = 'https://a.example.org';
    expect(
      await saidOf(other, 'http://a.example.com', other, other, other, 'https://x.org'),
    ).toEqual([
      'verify.probe of e-1, e-3, e-4 and 1 more: the host a.example.org is not in verify.probe.hosts (*.example.com).',
      'verify.probe of e-2: http is only for this machine (localhost, 127.0.0.0/8, [::1]): use https, or name the host in allowHttp.',
    ]);
  });

  test('those whose hosts differ together, with one of the hosts', async () => {
    const urls = [1, 2, 3, 4, 5].map((number) => `https://a-${number}.org`);
    expect(await saidOf(...urls, null)).toEqual([
      'verify.probe of e-1, e-2, e-3 and 2 more: their hosts, such as a-1.org, are not in verify.probe.hosts (*.example.com).',
    ]);
  });

  test('an endpoint without a URL may get one, unless no endpoint has one', async () => {
    expect(await saidOf(null, 'https://a.example.com')).toEqual([]);
    expect(await saidOf(null, null)).toEqual([
      'verify.probe: the service shows no URL of any endpoint, which wire.endpoint.url may mend.',
    ]);
  });

  test('none, where nothing is rolled or nothing is probed', async () => {
    expect(await saidOf('https://x.org')).toEqual([]);
    const endpoints = [endpoint('e', { url: null })];
    const plan = planOf([], { endpoints: [planned('e')] });
    expect(
      await findUnanswerable({ ...SHOP, policy: policyOf({}) }, plan, endpoints, null),
    ).toEqual([]);
  });
});

test('no reason is no refusal', () => {
  expect(() => refuseUnanswerable([])).not.toThrow();
});
