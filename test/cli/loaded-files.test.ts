import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../lib/simulation/server.ts';
import { filesLoadedBy } from './loaded-files.ts';
import { killPrograms } from './program-process.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-loaded-'));
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  server = await startEndpointServer({
    scenario: parseScenario({ runtimes: [{ id: 'shop', version: 2, endpoints: 10 }] }),
    port: 0,
    clock: systemClock,
  });
});

afterAll(async () => {
  killPrograms();
  await server.close();
  rmSync(home, { recursive: true });
});

const PAGE = ['agent', 'runtime', 'endpoint', 'list', 'shop'];
// There is nothing to roll, and the steps are all loaded before that is known.
const START = ['rollout', 'start', 'shop', '--version', '2', '--yes'];

/** The ceilings leave a little room. Whoever has to raise one has loaded something before it is needed. */
test.each([
  { what: '--version', most: 3, args: ['--version'], needed: 'bin/steproll.ts' },
  { what: 'a page of ten', most: 170, args: PAGE, needed: 'lib/adapters/services/rest/client.ts' },
  { what: 'a start', most: 400, args: START, needed: 'lib/embedded/run-workflow.ts' },
])('$what loads at most $most files in a checkout', async ({ most, args, needed }) => {
  const url = args.length > 1 ? ['--endpoint-url', server.url] : [];
  const { code, stderr, files } = await filesLoadedBy([...args, ...url], home);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  expect(files.some((file) => file.endsWith(needed))).toBe(true);
  expect(files.length).toBeLessThanOrEqual(most);
});
