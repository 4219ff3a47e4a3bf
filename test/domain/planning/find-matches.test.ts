import { expect, test } from '@jest/globals';
import { SAID } from '../../../lib/domain/endpoint/endpoint.ts';
import { describeMatches } from '../../../lib/domain/planning/patterns.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import { matchesOf } from '../../../lib/steps/opening/matches.ts';
import { live, policyOf } from '../examples.ts';

const named = (id: string, name: string, url: string | null = null) => live(id, { name, url });

const endpoints = [
  named('e1', 'web-1', 'https://web-1.example.com/x'),
  named('e2', 'web-2', 'https://web-2.example.com'),
  named('e3', 'api'),
];

function told(said: Partial<RolloutPolicy>, list = endpoints): string[] {
  return matchesOf({ ...policyOf(), ...said }, list).map(
    (one) => `${one.place}: ${describeMatches(one, 'endpoint')}`,
  );
}

test('each word of a policy says whom it matches', () => {
  expect(
    told({
      protect: ['web-*', 'e3', 'E3'],
      selection: { names: ['web-*'], ids: ['e9'], exclude: ['web-2', 'web2'] },
      waves: [{ percent: 50 }, { names: ['web-1', 'api'] }, { percent: 100 }],
    }),
  ).toEqual([
    'selection.names[0]: "web-*" matches 2 endpoints (web-1, web-2)',
    'selection.ids[0]: "e9" matches no endpoint',
    'selection.exclude[0]: "web-2" matches 1 endpoint (web-2)',
    'selection.exclude[1]: "web2" matches no endpoint; perhaps "web-2" is meant',
    'waves[1].names[0]: "web-1" matches 1 endpoint (web-1)',
    'waves[1].names[1]: "api" matches no endpoint',
    'protect[0]: "web-*" matches 2 endpoints (web-1, web-2)',
    'protect[1]: "e3" matches 1 endpoint (api)',
    'protect[2]: "E3" matches no endpoint; perhaps "e3" is meant, which differs in case',
  ]);
});

test('hosts of probes are compared with the URLs that the list shows', () => {
  const probe = {
    ...{ path: '/healthz', status: 200, tries: 1, timeoutSeconds: 5 },
    ...{ hosts: ['*.example.com', '*.exmaple.com'], privateNetwork: false },
  };
  const said = { verify: { approval: null, probe } };
  expect(told(said)).toEqual([
    'verify.probe.hosts[0]: "*.example.com" matches 2 endpoints (web-1, web-2)',
    'verify.probe.hosts[1]: "*.exmaple.com" matches no endpoint; of 1 the list does not show what is compared; perhaps "web-1.example.com" is meant',
  ]);
});

test('a name in which a credential is hidden is compared as the service said it, and told as it is shown', () => {
  const hidden = {
    ...named('e1', 'web-[hidden]'),
    [SAID]: { name: 'web-s3cr3t', url: null, status: null },
  };
  expect(told({ protect: ['*-s3cr3t'] }, [hidden])).toEqual([
    'protect[0]: "*-s3cr3t" matches 1 endpoint (web-[hidden])',
  ]);
});

test('of many only some are named', () => {
  const many = Array.from({ length: 12 }, (_, index) => named(`e${index}`, `web-${index}`));
  expect(told({ protect: ['web-*'] }, many)).toEqual([
    'protect[0]: "web-*" matches 12 endpoints (web-0, web-1, web-2 and 9 more)',
  ]);
});
