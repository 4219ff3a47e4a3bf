import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { type Respond, startHttpServer } from '../adapters/http/fault-server.ts';
import { codeBlocks, readDoc } from './code-blocks.ts';

// A double of NerdGraph: https://docs.newrelic.com/docs/apis/nerdgraph/examples/nerdgraph-nrql-tutorial

const home = mkdtempSync(join(tmpdir(), 'steproll-newrelic-'));
afterAll(() => rmSync(home, { recursive: true }));

const NRQL = `SELECT percentage(count(*), WHERE error IS true) FROM Transaction WHERE appName = 'a "b"'`;

/** Runs the program that the page shows, as a check would. */
async function run(respond: Respond, limit = '5') {
  const [program = ''] = codeBlocks(readDoc('docs/checks.md'), 'js');
  // The page's program has no ending, which says CommonJS.
  const file = join(home, 'nrql.cjs');
  writeFileSync(file, program);
  writeFileSync(join(home, '.newrelic'), 'NRAK-EXAMPLE\n', { mode: 0o600 });
  const server = await startHttpServer(respond);
  const args = [file, '1234567', NRQL, limit, `${server.url}/graphql`];
  const env = { PATH: process.env.PATH, HOME: home };
  return new Promise<{ code: unknown; stdout: string; received: typeof server.received }>((done) =>
    execFile(process.execPath, args, { env }, (error, stdout) =>
      done({ code: error === null ? 0 : error.code, stdout, received: server.received }),
    ),
  );
}

const saying =
  (body: unknown, status = 200): Respond =>
  (_, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
const results = (...rows: object[]) => ({
  data: { actor: { account: { nrql: { results: rows } } } },
});

test('the query and the key are sent as the pages of New Relic say', async () => {
  const { received } = await run(saying(results({ percentage: 0.5 })));
  expect(received).toMatchObject([
    { method: 'POST', url: '/graphql', headers: { 'api-key': 'NRAK-EXAMPLE' } },
  ]);
  const { query } = JSON.parse(received[0]?.body ?? '');
  const [, account, literal = ''] =
    /^\{ actor \{ account\(id: (\d+)\) \{ nrql\(query: ("(?:\\.|[^"\\])*"), timeout: \d+\) \{ results \} \} \} \}$/.exec(
      query,
    ) ?? [];
  expect(account).toBe('1234567');
  expect(JSON.parse(literal)).toBe(NRQL);
});

test.each([
  ['within the limit', saying(results({ percentage: 5 })), 0, '5, limit 5'],
  ['beyond the limit', saying(results({ percentage: 5.1 })), 1, '5.1, limit 5'],
  ['0', saying(results({ count: 0 })), 0, '0, limit 5'],
  ['no row', saying(results()), 2, 'no number'],
  ['no data', saying(results({ percentage: null })), 2, 'no number'],
  ['several rows', saying(results({ a: 1 }, { a: 2 })), 2, 'no number'],
  [
    'an error beside 200',
    saying({ data: { actor: { account: null } }, errors: [{ message: 'NRQL Syntax Error' }] }),
    2,
    '200: NRQL Syntax Error',
  ],
  ['401', saying({ errors: [{ message: 'Invalid credentials' }] }, 401), 2, '401: Invalid'],
  ['a number beside 503', saying(results({ percentage: 1 }), 503), 2, '503: no number'],
  ['a page', saying('<html>'), 2, ''],
  ['a redirect', (_, response) => response.writeHead(302, { location: '/' }).end(), 2, ''],
] as [string, Respond, number, string][])(
  '%s is what it should be',
  async (_, respond, code, said) => {
    const { code: ended, stdout } = await run(respond);
    expect({ code: ended, stdout }).toEqual({ code, stdout: expect.stringContaining(said) });
  },
);
