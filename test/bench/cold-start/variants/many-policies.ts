import { parseConfig } from '../../../../lib/contract/config/config.ts';

export const { service } = parseConfig({ endpointUrl: 'https://endpoints.example.com' });

/** What is in the file of a deployment with a thousand runtimes. */
export function manyPolicies(): unknown {
  const ids = Array.from({ length: 1_000 }, (_, index) => `runtime-${index}`);
  const policies = ids.map((id, index) => [
    id,
    {
      waves: [{ endpoints: 1 }, { percent: 100 }],
      bakeSeconds: index,
      verify: {
        probe: { path: '/healthz', hosts: ['*.example.com'] },
        alarms: [`alarm-${index}`],
      },
    },
  ]);
  const file = {
    policies: Object.fromEntries(policies),
    runtimes: Object.fromEntries(ids.map((id) => [id, { policy: id }])),
  };
  return JSON.parse(JSON.stringify(file));
}
