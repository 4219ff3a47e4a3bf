import { parseConfig } from '../../../../lib/contract/config/config.ts';

export const { service } = parseConfig({ endpointUrl: 'https://endpoints.example.com' });

/** What is in the file of a deployment with a thousand runtimes. */
export function manyPolicies(): unknown {
  const runtimes = Array.from({ length: 1_000 }, (_, index) => [
    `runtime-${index}`,
    {
      policy: {
        waves: [{ endpoints: 1 }, { percent: 100 }],
        bakeSeconds: index,
        verify: {
          probe: { path: '/healthz', hosts: ['*.example.com'] },
          alarms: [`alarm-${index}`],
        },
      },
    },
  ]);
  return JSON.parse(JSON.stringify({ policy: {}, runtimes: Object.fromEntries(runtimes) }));
}
