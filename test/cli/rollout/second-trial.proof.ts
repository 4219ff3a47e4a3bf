import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { type RequestLine, startEndpointServer } from '../../../lib/simulation/server.ts';
import { startHttpServer } from '../../adapters/http/fault-server.ts';
import { runHere } from '../run-here.ts';

// A server that is being deployed, or a token that is being renewed, refuses one question and answers the next.

const ZERO = { status: 'success', data: { resultType: 'scalar', result: [1, '0'] } };

/** Starts a rollout whose Prometheus server answers with these statuses, and after them with a good value. */
async function start(statuses: readonly number[]) {
  const home = mkdtempSync(join(tmpdir(), 'steproll-second-trial-'));
  const config = join(home, 'config.json');
  const scenario = parseScenario({ runtimes: [{ id: 'shop', endpoints: 1, rollSeconds: 0.1 }] });
  const requests: RequestLine[] = [];
  const onRequest = (line: RequestLine) => void requests.push(line);
  const service = await startEndpointServer({ scenario, port: 0, clock: systemClock, onRequest });
  const { url, received } = await startHttpServer((_, response, index) => {
    response.writeHead(statuses[index] ?? 200).end(JSON.stringify(ZERO));
  });
  const prometheus = [{ name: 'errors', url, query: 'sum(errors)', above: 5 }];
  const policy = { bakeSeconds: 0, pollSeconds: 1, maxPollSeconds: 1, verify: { prometheus } };
  writeFileSync(
    config,
    JSON.stringify({ endpointUrl: service.url, policies: { default: policy } }),
  );
  try {
    const args = ['rollout', 'start', 'shop', '--version', '2', '--yes', '--config', config];
    const { code } = await runHere(args, { STEPROLL_STATE_DIR: join(home, 'state') });
    const rolled = requests.filter(({ method }) => method === 'PUT').length;
    return { code, rolled, asked: received.length };
  } finally {
    await service.close();
    rmSync(home, { recursive: true });
  }
}

// One question before the rollout begins is whether the gate can be answered. The rollout itself asks whether the gate is
// red, and once more whether it can be answered.
test.each([
  ['refuses its credentials once, before the rollout begins', [401]],
  ['refuses its credentials once, when the rollout begins', [200, 200, 403]],
  ['is not at its url yet', [404]],
])('a Prometheus server that %s refuses no rollout', async (_, statuses) => {
  expect(await start(statuses)).toMatchObject({ code: 0, rolled: 1 });
});

test.each([
  ['goes on refusing its credentials', [401, 401, 401], 2],
  ['cannot read the query', [400, 400, 400], 1],
])('one that %s refuses it, after as few questions as tell that', async (_, statuses, asked) => {
  expect(await start(statuses)).toEqual({ code: 2, rolled: 0, asked });
});
