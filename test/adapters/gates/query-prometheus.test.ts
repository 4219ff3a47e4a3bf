import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openGates } from '../../../lib/adapters/gates/gates.ts';
import { tryGate } from '../../../lib/gates/ask-gates.ts';
import type { AskedWave } from '../../../lib/gates/gate.ts';
import { prometheus } from '../../../lib/gates/prometheus.ts';
import { live } from '../../domain/examples.ts';
import { type Respond, startHttpServer } from '../http/fault-server.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steproll-prometheus-'));
});

afterEach(() => rm(folder, { recursive: true }));

const WAVE: AskedWave = {
  ...{
    request: { rolloutId: 'r', runtimeId: 'shop', desiredVersion: 8 },
    wave: 1,
    kept: [],
    noes: [],
  },
  ...{ endpoints: [live('web-1'), live('web-2')], previousVersions: new Map() },
  settled: [live('web-1'), live('web-2')],
  ...{ since: 0, now: 300_000, when: 'bake-end' as const, bakedMs: 300_000, watched: 300_000 },
};
const TRIAL = {
  ...({ when: 'trial' } as const),
  ...{ runtimeId: 'shop', desiredVersion: 8, endpoints: ['web-1'], now: 0 },
} as const;
const ASKED = { name: 'prometheus', gate: prometheus };
const RULE = { name: 'errors', query: 'sum(errors)', above: 5 };
const { above: _, ...FREE } = RULE;

/** Asks a server that answers so. */
async function ask(respond: Respond, said: object = {}, wave: Partial<AskedWave> = {}) {
  const server = await startHttpServer(respond);
  const rules = prometheus.schema.parse([
    { ...('below' in said ? FREE : RULE), url: `${server.url}/prom/`, ...said },
  ]);
  const answers = await prometheus.ask(rules, { ...WAVE, ...wave }, openGates());
  const queries = server.received.map(({ body }) => new URLSearchParams(body).get('query'));
  return { answers, server, queries };
}

const saying =
  (body: unknown, status = 200): Respond =>
  (_, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
const vector = (...values: string[]) => ({
  status: 'success',
  data: { resultType: 'vector', result: values.map((one) => ({ metric: {}, value: [1, one] })) },
});
const series = (values: Readonly<Record<string, string>>) => ({
  status: 'success',
  data: {
    resultType: 'vector',
    result: Object.entries(values).map(([pod, one]) => ({ metric: { pod }, value: [1, one] })),
  },
});
const scalar = (value: string) => ({
  status: 'success',
  data: { resultType: 'scalar', result: [1, value] },
});

const GONE = 'no data of {pod="a"}, which was beyond the limit';

describe('the value of a query', () => {
  test.each([
    [vector('5'), {}, 'pass', '5, not above 5'],
    [vector('5.1'), {}, 'fail', '5.1, above 5'],
    [vector('1', '7', '2'), {}, 'fail', '7, above 5'],
    [scalar('3'), {}, 'pass', '3, not above 5'],
    [vector('+Inf'), {}, 'fail', 'Infinity, above 5'],
    [vector('-Inf'), {}, 'pass', '-Infinity, not above 5'],
    [vector('1', '0.7'), { below: 0.8 }, 'fail', '0.7, below 0.8'],
    [vector('0.8'), { below: 0.8 }, 'pass', '0.8, not below 0.8'],
    [vector('NaN'), {}, 'unknown', 'no data'],
    [vector('1', 'NaN'), {}, 'unknown', 'no number in 1 of 2 series'],
    [vector('NaN', '1', ''), {}, 'unknown', 'no number in 2 of 3 series'],
    [vector('NaN', '1'), { noData: 'pass' }, 'pass', 'no number in 1 of 2 series'],
    [vector('NaN', '1'), { noData: 'fail' }, 'fail', 'no number in 1 of 2 series'],
    [vector('NaN', '7'), { noData: 'pass' }, 'fail', '7, above 5'],
    [vector('NaN', '0.7'), { below: 0.8 }, 'fail', '0.7, below 0.8'],
    [vector(), {}, 'unknown', 'no data'],
    [vector(), { noData: 'pass' }, 'pass', 'no data'],
    [vector(), { noData: 'fail' }, 'fail', 'no data'],
  ])('%j with %j is %s', async (body, said, verdict, detail) => {
    const { answers } = await ask(saying(body), said);
    expect(answers).toMatchObject([{ name: 'errors', verdict, detail }]);
  });

  describe('of a series that was beyond the limit', () => {
    test.each([
      ['is a yes once it is within it', { a: '1', b: '1' }, {}, 'pass', '1, not above 5'],
      ['stays a no beyond it', { a: '9', b: '1' }, {}, 'fail', '9, above 5'],
      ['is missing when the series is gone', { b: '1' }, {}, 'unknown', GONE],
      ['is then what noData says', { b: '1' }, { noData: 'pass' }, 'pass', GONE],
      ['does not matter beside another no', { b: '8' }, {}, 'fail', '8, above 5'],
    ])('%s', async (_, second, said, verdict, detail) => {
      const { answers: first } = await ask(saying(series({ a: '7', b: '1' })), said);
      const noes = first.map(({ name, series = [] }) => {
        return { kind: 'query', name, detail: '', since: 0, series: [...series] };
      });
      const { answers } = await ask(saying(series(second)), said, { noes });
      expect(answers).toMatchObject([{ verdict, detail }]);
    });
  });

  test('that is missing is no no before the end of the bake', async () => {
    const { answers } = await ask(saying(vector()), { noData: 'fail' }, { when: 'bake' });
    expect(answers).toMatchObject([{ verdict: 'unknown' }]);
  });

  test.each([
    ['a page', saying('<html>')],
    ['an error', saying({ status: 'error', errorType: 'timeout' }, 503)],
    ['an error beside a 200', saying({ status: 'error', errorType: 'timeout' })],
    ['a range', saying({ status: 'success', data: { resultType: 'matrix', result: [] } })],
    ['a part of the truth', saying({ ...vector('1'), warnings: ['one store did not answer'] })],
    ['a yes beside an error', saying(vector('1'), 500)],
    ['a yes beside a redirect', saying(vector('1'), 302)],
    ['no number', saying(vector('many'))],
    ['a closed socket', (_: never, response: { destroy(): void }) => response.destroy()],
  ] as [string, Respond][])('that is %s is no answer', async (_, respond) => {
    const { answers } = await ask(respond, { noData: 'wait' });
    expect(answers).toMatchObject([{ verdict: 'unknown' }]);
  });
});

describe('a query', () => {
  test('is asked for each endpoint, with what it is about, since the convergence', async () => {
    const query = 'increase(e{r="{runtime}",e="{endpoint}",v="{version}"}[{window}])';
    const { answers, queries, server } = await ask(saying(vector('9')), { query });
    expect(queries.toSorted()).toEqual([
      'increase(e{r="shop",e="web-1",v="8"}[300s])',
      'increase(e{r="shop",e="web-2",v="8"}[300s])',
    ]);
    expect(answers).toMatchObject([
      { name: 'errors of web-1', endpointId: live('web-1').id, verdict: 'fail' },
      { name: 'errors of web-2', endpointId: live('web-2').id, verdict: 'fail' },
    ]);
    expect(server.received[0]).toMatchObject({ method: 'POST', url: '/prom/api/v1/query' });
  });

  test('about the time since the convergence is not asked in its first minute', async () => {
    const query = 'increase(e[{window}])';
    const { answers, queries } = await ask(saying(vector('9')), { query }, { now: 59_000 });
    expect(answers).toMatchObject([{ verdict: 'unknown' }]);
    expect(queries).toEqual([]);
  });

  test('is never asked with a name that would change it', async () => {
    const endpoints = [live('web-1', { name: 'x"} or vector(0) #' })];
    const query = 'e{e="{endpoint}"}';
    const { answers, queries } = await ask(saying(vector('0')), { query }, { endpoints });
    expect(answers).toMatchObject([{ verdict: 'unknown' }]);
    expect(queries).toEqual([]);
  });

  test.each([
    ['bearer', 'sesame', 'Bearer sesame'],
    ['basic', 'ops:sesame', `Basic ${Buffer.from('ops:sesame').toString('base64')}`],
  ])('is asked with %s credentials from a secret', async (kind, secret, header) => {
    const file = join(folder, 'secret');
    await writeFile(file, `${secret}\n`);
    const { server } = await ask(saying(vector('1')), { auth: { kind, secret: { file } } });
    expect(server.received[0]?.headers.authorization).toBe(header);
  });

  test('whose secret is not there is not asked', async () => {
    const auth = { kind: 'bearer', secret: { file: join(folder, 'none') } };
    const { answers, server } = await ask(saying(vector('1')), { auth });
    expect(answers).toMatchObject([{ verdict: 'unknown' }]);
    expect(server.received).toEqual([]);
  });

  test.each([400, 401, 403, 404])(
    'that is answered with %i is refused before anything is rolled',
    async (status) => {
      const server = await startHttpServer(saying({ status: 'error' }, status));
      const rules = prometheus.schema.parse([{ ...RULE, url: server.url }]);
      const tried = await tryGate({ ...ASKED, said: rules }, TRIAL, openGates());
      expect(tried?.faults).toEqual([
        expect.stringContaining(`verify.prometheus, errors: ${status}`),
      ]);
    },
  );

  test.each([408, 422, 429, 500, 503])(
    'that is answered with %i may be answered later, so nothing is refused',
    async (status) => {
      const server = await startHttpServer(saying({ status: 'error' }, status));
      const rules = prometheus.schema.parse([{ ...RULE, url: server.url }]);
      expect(await tryGate({ ...ASKED, said: rules }, TRIAL, openGates())).toMatchObject({
        ...{ faults: [], silent: `query errors: ${status}` },
      });
    },
  );

  test('is tried without its limit', async () => {
    const server = await startHttpServer(saying(vector('9')));
    const rules = prometheus.schema.parse([{ ...RULE, url: server.url }]);
    expect(await tryGate({ ...ASKED, said: rules }, TRIAL, openGates())).toEqual({
      ...{ faults: [], silent: undefined, found: 'query errors: 9' },
    });
  });
});

test.each([
  [{ ...RULE, below: 1 }, 'use exactly one of above, below'],
  [{ name: 'a', query: 'x' }, 'use exactly one of above, below'],
  [{ ...RULE, query: 'x{a="{wave}"}' }, '{wave} is no placeholder'],
])('%j is refused', (said, message) => {
  const url = 'https://prometheus.example.com';
  const { error } = prometheus.schema.safeParse([{ ...said, url }]);
  expect(error?.issues.map((one) => one.message)).toEqual([expect.stringContaining(message)]);
});
