import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { openAuth } from '../../lib/adapters/credentials/authorization.ts';
import { createLocalBus } from '../../lib/adapters/events/local-bus.ts';
import { openGates } from '../../lib/adapters/gates/gates.ts';
import { openSqliteLedger } from '../../lib/adapters/ledger/sqlite/ledger.ts';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { createEndpointClient } from '../../lib/adapters/services/rest/client.ts';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import { createInterpreter } from '../../lib/embedded/interpreter/engine.ts';
import { startRollout } from '../../lib/embedded/run-workflow.ts';
import { CLIENT, expectNoCanary } from './canary.ts';
import { answerAsAsked, answerNamed, type HostileService } from './hostile-service.ts';

/** Runs a rollout whose every roll gets the answer whose name begins so, and looks for secrets in what it has stored. */
export async function expectNoneInLedger(service: HostileService, start: string): Promise<void> {
  const refuse = answerNamed(start);
  service.answer = (request, response) =>
    (request.method === 'PUT' ? refuse : answerAsAsked)(request, response);
  process.env.CANARY_CLIENT = JSON.stringify(CLIENT);
  const client = createEndpointClient({
    baseUrl: service.url,
    auth: openAuth({
      kind: 'client-credentials',
      tokenUrl: service.tokenUrl,
      secret: { environment: 'CANARY_CLIENT' },
    }),
    clock: systemClock,
  });
  const folder = mkdtempSync(join(tmpdir(), 'steproll-canary-'));
  const { ledger, end } = openSqliteLedger(join(folder, 'ledger.sqlite'));
  const policy = {
    ...DEFAULT_POLICY,
    waves: [{ percent: 100 }],
    pollSeconds: 1,
    progressDeadlineSeconds: 1,
    bakeSeconds: 0,
    onFailure: 'hold',
  } as const;
  const outcome = await startRollout({
    engine: createInterpreter({ clock: systemClock }),
    rolloutId: 'r',
    input: { schemaVersion: 1, runtimeId: 'shop', version: 2 },
    context: {
      service: client,
      ledger,
      clock: systemClock,
      gates: openGates(),
      events: createLocalBus(),
      policyOf: () => policy,
    },
  });
  const { journal } = await ledger.read('r');
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  end();
  await client.close();
  delete process.env.CANARY_CLIENT;
  expect(journal.some(({ message }) => message?.includes('refused'))).toBe(true);
  expect(files.join('')).toContain('refused');
  expectNoCanary([JSON.stringify(outcome), JSON.stringify(journal), ...files].join('\n'));
  rmSync(folder, { recursive: true });
}
