import { expect, test } from '@jest/globals';
import { askGates } from '../../lib/gates/ask-gates.ts';
import type { GateAnswer } from '../../lib/gates/gate.ts';
import { live } from '../domain/examples.ts';
import { gatePortsOf } from '../support/gate-ports.ts';

const probe = {
  ...{ path: '/healthz', status: 200, tries: 1, timeoutSeconds: 5 },
  ...{ hosts: ['*.example.com'], privateNetwork: false },
};

/** How many of 200 endpoints are asked when all of them give this answer. */
async function countAsked(verdict: GateAnswer['verdict']): Promise<number> {
  let asked = 0;
  const endpoints = Array.from({ length: 200 }, (_, index) =>
    live(`web-${index}`, { url: `https://web-${index}.example.com` }),
  );
  const request = { rolloutId: 'r', runtimeId: 'shop', desiredVersion: 2 };
  await askGates(
    { probe, approval: null },
    {
      ...{
        request,
        endpoints,
        settled: endpoints,
        wave: 1,
        previousVersions: new Map(),
        kept: [],
        noes: [],
      },
      ...{ since: 0, now: 0, when: 'bake-end' as const, bakedMs: 0, watched: 0 },
    },
    gatePortsOf({
      async probe() {
        asked += 1;
        return { verdict, detail: '' };
      },
    }),
  );
  return asked;
}

test('after a no, the rest of a wave is not asked any more', async () => {
  expect(await countAsked('fail')).toBe(64);
});

test.each(['pass', 'unknown'] as const)(
  'all of a wave are asked as long as they say %s',
  async (verdict) => {
    expect(await countAsked(verdict)).toBe(200);
  },
);
