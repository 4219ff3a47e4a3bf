import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type Respond, startHttpServer } from '../adapters/http/fault-server.ts';
import { codeBlocks, readDoc } from './code-blocks.ts';

// A double of NerdGraph: https://docs.newrelic.com/docs/apis/nerdgraph/examples/nerdgraph-nrql-tutorial

const home = mkdtempSync(join(tmpdir(), 'steproll-recipes-'));
afterAll(() => rmSync(home, { recursive: true }));

const NRQL = `SELECT percentage(count(*), WHERE error IS true) FROM Transaction WHERE appName = 'a "b"'`;

interface Run {
  readonly args?: readonly string[];
  readonly question?: object;
  /** @default - what every check gets */
  readonly path?: string;
}

/** Runs the program of the page whose comment begins with this name, as a check would. */
function runRecipe(name: string, { args = [], question = {}, path = process.env.PATH }: Run) {
  const page = readDoc('docs/checks.md');
  const isMeant = (text: string) => text.split('\n')[1]?.match(/^\/\/ ([\w-]+):/)?.[1] === name;
  const program = codeBlocks(page, 'js').find(isMeant) ?? '';
  // The page's program has no ending, which says CommonJS.
  const file = join(home, `${name}.cjs`);
  writeFileSync(file, program);
  const env = { PATH: path, HOME: home, TMPDIR: home };
  return new Promise<{ code: unknown; stdout: string }>((done) => {
    const child = execFile(process.execPath, [file, ...args], { env }, (error, stdout) =>
      done({ code: error === null ? 0 : error.code, stdout }),
    );
    child.stdin?.end(JSON.stringify(question));
  });
}

async function run(respond: Respond, limit = '5') {
  writeFileSync(join(home, '.newrelic'), 'NRAK-EXAMPLE\n', { mode: 0o600 });
  const server = await startHttpServer(respond);
  const args = ['1234567', NRQL, limit, `${server.url}/graphql`];
  return { ...(await runRecipe('nrql', { args })), received: server.received };
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

describe('talk', () => {
  const hearing =
    (text: string, status = 200): Respond =>
    (_, response) =>
      response.writeHead(status).end(text);

  async function talk(respond: Respond, more: readonly object[] = []) {
    const server = await startHttpServer(respond);
    const endpoints = [{ id: 'e-1', name: 'web-1', url: server.url }, ...more];
    const ended = await runRecipe('talk', { question: { endpoints } });
    return { ...ended, received: server.received };
  }

  test('asks each endpoint', async () => {
    const { received, code } = await talk(hearing('{"answer":"It is 391."}'));
    expect(received).toMatchObject([{ method: 'POST', url: '/invoke' }]);
    expect(code).toBe(0);
  });

  test.each([
    ['another answer', hearing('{"answer":"It is 4."}'), [], 1],
    ['500', hearing('391', 500), [], 1],
    ['401', hearing('391', 401), [], 2],
    ['a redirect', hearing('391', 302), [], 2],
    ['a closed socket', (_, response) => response.destroy(), [], 2],
    ['no URL of one', hearing('391'), [{ id: 'e-2', name: null, url: null }], 2],
  ] as [string, Respond, object[], number][])('%s is %#: %i', async (_, respond, more, code) => {
    expect((await talk(respond, more)).code).toBe(code);
  });

  test('without any URL, and without any endpoint, nobody knows', async () => {
    const endpoints = [{ id: 'e-1', name: 'web-1', url: null }];
    expect((await runRecipe('talk', { question: { endpoints } })).code).toBe(2);
    expect((await runRecipe('talk', { question: { endpoints: [] } })).code).toBe(2);
  });
});

describe('talk-agentcore', () => {
  const ARN = 'arn:aws:bedrock-agentcore:eu-central-1:111122223333:runtime';
  const SESSION = '1b4e28ba-2fa1-41d2-883f-0016d3cca427';

  /** With a double of the AWS CLI, which notes what it is asked. */
  async function talk(
    aws: string,
    names: readonly (string | null)[] = ['canary', 'live'],
    sessionId = SESSION,
  ) {
    const folder = mkdtempSync(join(home, 'aws-'));
    const noted = join(folder, 'noted');
    writeFileSync(join(folder, 'aws'), `#!/bin/sh\necho "$@" >> '${noted}'\n${aws}\n`, {
      mode: 0o755,
    });
    const endpoints = names.map((name) => ({ id: 'e', name, url: null }));
    const question = { runtimeId: 'shop-a1B2c3D4e5', sessionId, endpoints };
    const path = `${folder}:${process.env.PATH}`;
    const ended = await runRecipe('talk-agentcore', { args: [ARN], question, path });
    expect(
      readdirSync(home).filter((name) => name.startsWith('talk-') && !name.endsWith('.cjs')),
    ).toEqual([]);
    const lines = ended.code === 2 ? '' : readFileSync(noted, 'utf8');
    return { ...ended, asked: lines.trim().split('\n') };
  }

  test('invokes the agent by the name of each endpoint, each in a session of its own', async () => {
    const { code, asked } = await talk(
      'grep -q 17 "$(echo "$5" | cut -c 9-)" && echo \'{"a":391}\' > "$3"',
    );
    expect(code).toBe(0);
    expect(asked).toEqual(
      ['canary', 'live'].map((name) =>
        expect.stringMatching(
          `^bedrock-agentcore invoke-agent-runtime .* --agent-runtime-arn ${ARN}/shop-a1B2c3D4e5 --qualifier ${name} --runtime-session-id ${SESSION}-${name} --region eu-central-1 `,
        ),
      ),
    );
  });

  test('a session that runs stays on the version before, and only a new one hears the version that is live', async () => {
    const folder = mkdtempSync(join(home, 'sessions-'));
    const live = (word: string) => writeFileSync(join(folder, 'live'), word);
    // The session is the eleventh word; its first question starts it on what is live then.
    const aws = `s='${folder}'/"\${11}"; [ -e "$s" ] || cp '${folder}/live' "$s"; cp "$s" "$3"`;
    live('4');
    expect((await talk(aws, ['canary'])).code).toBe(1);
    live('391');
    expect((await talk(aws, ['canary'])).code).toBe(1);
    expect((await talk(aws, ['canary'], randomUUID())).code).toBe(0);
  });

  const failing = (text: string) => `echo '${text}' >&2; exit 254`;

  test.each([
    ['another answer', 'echo 4 > "$3"', ['canary'], 1],
    ['no word', ': > "$3"', ['canary'], 1],
    ['what the agent failed at', failing('An error occurred (RuntimeClientError): 500'), ['a'], 1],
    ['no permission', failing('An error occurred (AccessDeniedException): no'), ['a'], 2],
    ['no AWS', failing('Could not connect to the endpoint URL'), ['a'], 2],
    ['no file', 'exit 0', ['a'], 2],
    ['no name', 'echo 391 > "$3"', ['a', null], 2],
    ['no endpoint', 'echo 391 > "$3"', [], 2],
  ] as [string, string, (string | null)[], number][])(
    '%s is %#: %i',
    async (_, aws, names, code) => {
      expect((await talk(aws, names)).code).toBe(code);
    },
  );
});

describe('score', () => {
  /** With a double of the AWS CLI that answers these averages and counts. */
  async function score(points: unknown, args: readonly string[] = ['0.8', '20']) {
    const folder = mkdtempSync(join(home, 'aws-'));
    const noted = join(folder, 'noted');
    const answer = JSON.stringify({ Datapoints: points });
    writeFileSync(join(folder, 'aws'), `#!/bin/sh\necho "$@" >> '${noted}'\necho '${answer}'\n`, {
      mode: 0o755,
    });
    const of = [
      'Bedrock/Evaluations',
      'Correctness',
      'Name=Agent,Value=shop Name=Endpoint,Value=canary',
    ];
    const path = `${folder}:${process.env.PATH}`;
    const ended = await runRecipe('score', { args: [...of, ...args], path });
    return { ...ended, asked: readFileSync(noted, 'utf8') };
  }
  const point = (Average: number, SampleCount: number) => ({ Average, SampleCount });

  test('asks for the average together with the count', async () => {
    const { asked } = await score([]);
    expect(asked).toMatch(
      /^cloudwatch get-metric-statistics --namespace Bedrock\/Evaluations --metric-name Correctness --dimensions Name=Agent,Value=shop Name=Endpoint,Value=canary --statistics Average SampleCount --start-time \S+Z --end-time \S+Z --period 60 --output json$/m,
    );
  });

  test.each([
    ['enough good scores', [point(0.9, 15), point(0.8, 5)], 0, '0.875 of 20 scores, at least 0.8'],
    ['enough bad scores', [point(0.9, 5), point(0.5, 15)], 1, '0.6 of 20 scores'],
    ['good scores that are too few', [point(1, 19)], 75, '19 scores of 20'],
    ['bad scores that are too few', [point(0, 19)], 75, '19 scores of 20'],
    ['no scores', [], 75, '0 scores of 20'],
    ['no count', [{ Average: 1 }], 2, 'no number'],
    ['no list', null, 2, ''],
  ] as [string, unknown, number, string][])('%s are %#: %i', async (_, points, code, said) => {
    const { code: ended, stdout } = await score(points);
    expect({ code: ended, stdout }).toEqual({ code, stdout: expect.stringContaining(said) });
  });

  test('without a limit there is no answer, and without any score never a yes', async () => {
    expect((await score([point(1, 30)], ['much', '20'])).code).toBe(2);
    expect((await score([], ['0.8', '0'])).code).toBe(75);
  });
});

describe('monitor', () => {
  test.each([
    [saying({ overall_state: 'OK' }), 0],
    [saying({ overall_state: 'Alert' }), 1],
    [saying({ overall_state: 'No Data' }), 2],
    [saying({ overall_state: 'Warn' }), 2],
    [saying({}), 2],
    [saying({ overall_state: 'OK' }, 403), 2],
    [(_, response) => response.writeHead(302, { location: '/' }).end(), 2],
    [saying('<html>'), 2],
    [(_, response) => response.destroy(), 2],
  ] as [Respond, number][])('%# is %i', async (respond, code) => {
    writeFileSync(join(home, '.datadog'), 'DD-API-KEY: k\nDD-APPLICATION-KEY: a\n');
    const server = await startHttpServer(respond);
    const ended = await runRecipe('monitor', { args: ['77', server.url] });
    expect(ended.code).toBe(code);
    expect(server.received[0]).toMatchObject({
      url: '/api/v1/monitor/77',
      headers: { 'dd-api-key': 'k', 'dd-application-key': 'a' },
    });
  });
});
