import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { ended } from '../../cli/program-process.ts';
import { startHere } from '../../cli/run-here.ts';
import { SCRIPTS, wordsOf } from './reference-pages.ts';

describe('what is shown to be run', () => {
  const home = mkdtempSync(join(tmpdir(), 'steproll-reference-'));
  const config = join(home, 'quick.json');
  let server: Awaited<ReturnType<typeof startEndpointServer>>;

  beforeAll(async () => {
    const runtimes = [{ id: 'shop', endpoints: 3, rollSeconds: 0.1 }];
    server = await startEndpointServer({
      scenario: parseScenario({ runtimes }),
      port: 0,
      clock: systemClock,
    });
    writeFileSync(config, '{ "policies": { "default": { "bakeSeconds": 0, "pollSeconds": 1 } } }');
  });
  afterAll(async () => {
    await server.close();
    rmSync(home, { recursive: true });
  });

  /** Runs a line of steproll at a terminal whose reader says yes. */
  async function run(words: readonly string[]): Promise<string> {
    const variables = { STEPROLL_ENDPOINT_URL: server.url, STEPROLL_CONFIG: config };
    const child = startHere(home, words, variables, { typed: 'y\r' });
    const { code, stdout, stderr } = await ended(child);
    expect({ words, code, stderr: code === 0 ? '' : stderr }).toEqual({
      words,
      code: 0,
      stderr: '',
    });
    return stdout.trim();
  }

  const shown = SCRIPTS.filter(({ info }) => info === '');

  test.each(shown.map(({ page, text }) => [page, text]))('%s: %s', async (_, text) => {
    const variables = new Map<string, string>();
    const inPlace = text.replaceAll(/https:\/\/\S*example\.com\S*/g, server.url);
    if (inPlace.includes('$id')) {
      await run(['rollout', 'start', 'shop', '--version', '2', '--allow-downgrade', '--yes']);
      variables.set('id', await run(['rollout', 'list', '-o', 'id', '--limit', '1']));
    }
    for (const line of inPlace.trim().split('\n')) {
      const [, name, call = line] = /^(\w+)=\$\((.+)\)$/.exec(line) ?? [];
      const [first, ...words] = wordsOf(call, variables);
      // The URL is that of the service above.
      if (first === 'export') continue;
      expect(first).toBe('steproll');
      const said = await run(words);
      if (name !== undefined) variables.set(name, said);
    }
  });
});
