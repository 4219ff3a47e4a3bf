import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { type RequestLine, startEndpointServer } from '../../../lib/simulation/server.ts';
import { configCheckSchema } from '../../../lib/telling/view/plan-view.ts';
import { runHere } from '../run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-check-'));
const file = join(home, 'prod.json');
const requests: RequestLine[] = [];
/** What was asked of AWS. */
const targets: unknown[] = [];
let service: Awaited<ReturnType<typeof startEndpointServer>>;
let locked: Server;
let cloudWatch: Server;

beforeAll(async () => {
  const runtimes = [
    { id: 'shop', endpoints: 3, version: 2 },
    { id: 'cart', endpoints: [{ name: 'staging' }] },
  ];
  service = await startEndpointServer({
    scenario: parseScenario({ runtimes }),
    port: 0,
    clock: systemClock,
    onRequest: (line) => void requests.push(line),
  });
  locked = createServer((_, answer) => void answer.writeHead(401).end());
  cloudWatch = createServer(async (request, answer) => {
    const { AlarmNames: [name] = [], MetricDataQueries = [] } = (await json(request)) as {
      AlarmNames?: string[];
      MetricDataQueries?: MetricDataQuery[];
    };
    targets.push(request.headers['x-amz-target']);
    answer.setHeader('content-type', 'application/x-amz-json-1.0');
    const there = { AlarmName: name, StateValue: name === 'raised' ? 'ALARM' : 'OK' };
    const MetricAlarms = name === 'gone' || name === undefined ? [] : [there];
    const namespaces = MetricDataQueries.map(({ MetricStat }) => MetricStat?.Metric?.Namespace);
    if (namespaces.includes('Secret')) {
      answer.writeHead(400).end(JSON.stringify({ __type: 'AccessDeniedException' }));
      return;
    }
    const MetricDataResults = MetricDataQueries.map(({ Id, MetricStat }) => ({
      Id,
      StatusCode: 'Complete',
      Values: valuesOf(MetricStat),
    }));
    answer.end(JSON.stringify({ MetricAlarms, MetricDataResults }));
  });
  for (const server of [locked, cloudWatch]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
});
beforeEach(() => {
  requests.length = 0;
  targets.length = 0;
});
afterAll(async () => {
  await service.close();
  for (const server of [locked, cloudWatch]) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(home, { recursive: true });
});

/** Errors of every endpoint but the second, and nothing else. */
function valuesOf({ Metric }: MetricDataQuery['MetricStat'] = {} as never): number[] {
  const [name] = Metric?.Dimensions?.map(({ Value }) => Value) ?? [];
  return Metric?.MetricName === 'Errors' && name !== 'endpoint-02' ? [1, 6] : [];
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function run(config: object, more: string[] = [], variables: Record<string, string> = {}) {
  writeFileSync(file, JSON.stringify(config));
  return runHere(['config', 'check', file, ...more], {
    STEPROLL_STATE_DIR: join(home, 'state'),
    STEPROLL_PROFILES_FILE: join(home, 'profiles'),
    AWS_CONFIG_FILE: join(home, 'aws'),
    AWS_SHARED_CREDENTIALS_FILE: join(home, 'aws'),
    AWS_EC2_METADATA_DISABLED: 'true',
    ...variables,
  });
}

const onAws = () => ({
  AWS_ENDPOINT_URL: urlOf(cloudWatch),
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'key',
});

async function resultsOf(config: object, more: string[] = [], variables = {}) {
  const { code, stdout } = await run(config, [...more, '-o', 'json'], variables);
  const printed = JSON.parse(stdout);
  expect(configCheckSchema.safeParse(printed).error).toBeUndefined();
  const { isGood, checks } = printed;
  const lines = checks.map(({ check, of, result }: Record<string, string | null>) =>
    [result, check, of].filter((word) => word !== null).join(' '),
  );
  return { code, isGood, lines, checks };
}

const GOOD = {
  policies: {
    default: { windows: [{ from: '00:00', to: '24:00' }] },
    shop: {
      verify: { probe: { path: '/', hosts: ['*.localhost'] }, alarms: ['errors', 'latency'] },
    },
  },
  runtimes: {
    shop: { policy: 'shop' },
    cart: {},
  },
  triggers: {
    schedules: [
      {
        name: 'nightly',
        runtimeId: 'cart',
        cron: '0 3 * * ? *',
        versionFrom: { endpoint: 'staging' },
      },
      { name: 'daily', runtimeId: 'shop', rate: '1 day', version: 3 },
    ],
  },
};

describe('config check', () => {
  test('says ok for everything that rollouts need, one line each: exit 0', async () => {
    const { code, stdout, stderr } = await run({ ...GOOD, endpointUrl: service.url }, [], onAws());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/:.*/, ''))).toEqual([
      'ok       service',
      'ok       credentials',
      'ok       runtime shop',
      'ok       statuses shop',
      'ok       probe shop',
      'ok       alarms shop',
      'ok       windows shop',
      'ok       runtime cart',
      'ok       statuses cart',
      'ok       windows cart',
      'ok       pattern policies.shop.verify.probe.hosts[0]',
      'ok       schedule nightly',
      'ok       schedule daily',
    ]);
    expect(lines[0]).toContain(`${service.url}, from ${file}, endpointUrl: it answers.`);
    expect(lines[5]).toContain('alarm errors: OK; alarm latency: OK.');
  });

  test('looks at the alarms, windows and schedules of a group, if one of its runtimes is checked', async () => {
    const groups = {
      all: { runtimes: ['*'], policy: { verify: { alarms: ['errors'] } } },
      carts: { runtimes: ['cart'] },
    };
    const schedules = [{ name: 'weekly', group: 'all', rate: '7 days', version: 3 }];
    const config = { ...GOOD, endpointUrl: service.url, groups, triggers: { schedules } };
    const all = await resultsOf(config, [], onAws());
    expect(all.lines.slice(-5)).toEqual([
      'ok alarms group:all',
      'ok windows group:all',
      'ok windows group:carts',
      'ok pattern policies.shop.verify.probe.hosts[0]',
      'ok schedule weekly',
    ]);
    const some = await resultsOf(config, ['--runtime', 'shop'], onAws());
    expect(some.lines.slice(-4)).toEqual([
      'ok alarms group:all',
      'ok windows group:all',
      'ok pattern policies.shop.verify.probe.hosts[0]',
      'ok schedule weekly',
    ]);
  });

  test.each([
    ['refuse', 'A rollout does not begin until it is green.'],
    ['ignore', 'A rollout begins nevertheless, as verify.redAtStart says.'],
  ])('says which gates are red now, with redAtStart %s', async (redAtStart, follows) => {
    const metric = { namespace: 'Shop', metric: 'Errors', limit: { above: 5 } };
    const verify = { alarms: ['errors', 'raised'], metrics: [metric], redAtStart };
    const config = {
      endpointUrl: service.url,
      policies: { shop: { verify } },
      runtimes: { shop: { policy: 'shop' } },
    };
    const { code, checks } = await resultsOf(config, [], onAws());
    const red = checks.filter(({ message }: { message: string }) => /^Red now: /.test(message));
    expect({ code, red }).toMatchObject({
      code: 0,
      red: [
        {
          ...{ check: 'alarms', of: 'shop', result: 'ok' },
          message: `Red now: alarm raised: ALARM. ${follows}`,
        },
        {
          ...{ check: 'metrics', of: 'shop', result: 'ok' },
          message: expect.stringMatching(
            /^Red now: metric Errors: 7 in 1 min from .*, above 5\. A/,
          ),
        },
      ],
    });
  });

  test('only reads: it sends one list per runtime and two reads per alarm, and writes no file', async () => {
    await run({ ...GOOD, endpointUrl: service.url }, [], onAws());
    expect(requests.map(({ method, url }) => `${method} ${url.replace(/\?.*/, '')}`)).toEqual([
      'GET /agent-runtimes/shop/endpoints',
      'GET /agent-runtimes/cart/endpoints',
    ]);
    // Whether it can be read, and whether it is red.
    expect(targets).toEqual(Array(4).fill(expect.stringMatching(/\.DescribeAlarms$/)));
    expect(readdirSync(home)).toEqual(['prod.json']);
  });

  test('says every fault at once: exit 2', async () => {
    const policy = {
      selection: { names: ['nobody-*'] },
      outsideWindow: 'refuse',
      windows: [{ from: '09:00', to: '17:00' }],
    };
    const verify = { probe: { path: '/', hosts: ['*.example.com'] }, alarms: ['gone'] };
    const config = {
      endpointUrl: service.url,
      policies: { shop: { verify }, cart: policy },
      runtimes: {
        shop: { policy: 'shop' },
        cart: { policy: 'cart' },
        missing: {},
      },
      triggers: {
        schedules: [
          { name: 'from-nobody', runtimeId: 'shop', rate: '1 day', versionFrom: { endpoint: 'x' } },
          { name: 'over', runtimeId: 'shop', at: '2020-01-01T00:00:00', version: 3 },
          { name: 'at-night', runtimeId: 'cart', cron: '0 3 * * ? *', version: 3 },
        ],
      },
    };
    const { code, isGood, lines, checks } = await resultsOf(config, [], onAws());
    expect({ code, isGood, lines }).toEqual({
      code: 2,
      isGood: false,
      lines: [
        'ok service',
        'ok credentials',
        'ok runtime shop',
        'ok statuses shop',
        'fault probe shop',
        'fault alarms shop',
        'ok windows shop',
        'fault runtime cart',
        'ok statuses cart',
        'ok windows cart',
        'fault runtime missing',
        'ok windows missing',
        'fault pattern policies.shop.verify.probe.hosts[0]',
        'fault pattern policies.cart.selection.names[0]',
        'fault schedule from-nobody',
        'fault schedule over',
        'fault schedule at-night',
      ],
    });
    const said = checks.map(({ message }: { message: string }) => message).join('\n');
    for (const part of [
      '.localhost, are not in verify.probe.hosts (*.example.com)',
      'verify.alarms, gone: no such alarm in eu-central-1.',
      'the runtime has no such endpoint',
      'it was due, and starts nothing any more.',
      'the policy lets none wait',
    ]) {
      expect(said).toContain(part);
    }
    expect(checks.at(-1).next).toMatch(/T03:00:00\.000Z$/);
  });

  describe('metrics', () => {
    const metric = {
      namespace: 'Shop',
      metric: 'Errors',
      dimensions: { Name: '{endpoint}' },
      limit: { above: 5 },
      noData: 'pass',
    };
    const metricsOf = async (metrics: object[], variables: Record<string, string> = onAws()) => {
      const policies = { default: { verify: { metrics } } };
      const config = { endpointUrl: service.url, policies, runtimes: { shop: {} } };
      const { code, checks } = await resultsOf(config, [], variables);
      const said = checks.filter(({ check }: { check: string }) => check === 'metrics');
      return {
        code,
        lines: said.map(({ result, message }: Record<string, string>) => `${result} ${message}`),
      };
    };

    test('their values are shown, whatever the limit is, and each is read once', async () => {
      const { code, lines } = await metricsOf([metric]);
      const during = 'in \\d+ min from [-0-9: ]+Z';
      expect({ code, lines }).toEqual({
        code: 0,
        lines: [
          expect.stringMatching(
            `^ok metric Errors of endpoint-01: 7 ${during}; metric Errors of endpoint-02: no data ${during}; metric Errors of endpoint-03: 7 ${during}.$`,
          ),
        ],
      });
      expect(targets).toEqual([expect.stringMatching(/\.GetMetricData$/)]);
    });

    test('those without data are unknown, where no data is no yes: exit 3', async () => {
      const { code, lines } = await metricsOf([
        { ...metric, noData: 'wait' },
        { ...metric, metric: 'Erors', dimensions: {}, noData: 'fail' },
      ]);
      expect({ code, lines }).toEqual({
        code: 3,
        lines: [
          expect.stringMatching(
            /^unknown metric Errors of endpoint-02: no data in.*; metric Erors: no data in/,
          ),
          expect.stringMatching(/^ok metric Errors of endpoint-01: 7 in/),
        ],
      });
    });

    test('those that AWS does not show are a fault, as on a machine without a region: exit 2', async () => {
      expect(await metricsOf([{ ...metric, namespace: 'Secret', dimensions: {} }])).toEqual({
        code: 2,
        lines: [
          expect.stringMatching(
            /^fault verify.metrics, Errors: AccessDeniedException\. .*permission/,
          ),
        ],
      });
      const unset = { AWS_ENDPOINT_URL: urlOf(cloudWatch) };
      expect(await metricsOf([{ ...metric, dimensions: {} }], unset)).toEqual({
        code: 2,
        lines: [expect.stringContaining('fault verify.metrics, Errors: Region is missing. Set')],
      });
    });
  });

  describe('a word of a policy that is there to match endpoints', () => {
    const policy = { protect: ['staging', 'Endpoint-01', 'enpdoint-*'] };
    const config = () => ({
      endpointUrl: service.url,
      policies: {
        default: policy,
        shop: { selection: { exclude: ['endpoint-0*', 'endpoint-01 '] } },
      },
      runtimes: {
        shop: { policy: 'shop' },
        cart: {},
      },
      groups: { all: { runtimes: ['*'], policy: { selection: { exclude: ['crat'] } } } },
    });
    const patternsIn = async (...more: string[]) => {
      const { code, checks } = await resultsOf(config(), more);
      const own = checks.filter(({ check }: { check: string }) => check === 'pattern');
      return { code, own };
    };

    test('is a fault when it matches nobody, wherever it holds, with what was perhaps meant', async () => {
      const { code, own } = await patternsIn();
      expect(code).toBe(2);
      expect(own.map(({ of, result, message }: never) => `${result} ${of}: ${message}`)).toEqual([
        'ok policies.shop.selection.exclude[0]: "endpoint-0*" matches 3 endpoints of shop (endpoint-01, endpoint-02, endpoint-03).',
        'fault policies.shop.selection.exclude[1]: "endpoint-01 " matches no endpoint of shop; perhaps "endpoint-01" is meant, which differs in spaces.',
        'ok policies.default.protect[0]: "staging" matches 1 endpoint of cart (staging); none of 1 more.',
        'fault policies.default.protect[1]: "Endpoint-01" matches no endpoint of shop, cart; perhaps "endpoint-01" is meant, which differs in case.',
        'fault policies.default.protect[2]: "enpdoint-*" matches no endpoint of shop, cart; perhaps "endpoint-01" is meant.',
        'fault groups.all.policy.selection.exclude[0]: "crat" matches no runtime of group:all; perhaps "cart" is meant.',
      ]);
      expect(own[2].matches).toMatchObject([
        { of: 'shop', endpointIds: [] },
        { of: 'cart', endpointIds: [expect.any(String)] },
      ]);
    });

    test('may be a value of an attribute, of which a runtime has those of the configuration', async () => {
      const runtimes = {
        shop: { attributes: { tier: 'internal' } },
        cart: { attributes: { tier: 'free' } },
      };
      const waves = [{ where: { tier: ['intrenal', 'free'] } }, { percent: 100 }];
      const groups = { all: { runtimes: ['*'], policy: { waves } } };
      const wire = { endpoint: { attributes: { tier: 'serviceTier' } } };
      const protect = [{ where: { tier: 'enterprise' } }];
      const known = {
        endpointUrl: service.url,
        wire,
        runtimes,
        groups,
        policies: { default: { protect } },
      };
      const { code, checks } = await resultsOf(known, []);
      const own = checks.filter(({ check }: { check: string }) => check === 'pattern');
      expect(code).toBe(2);
      expect(own.map(({ of, result, message }: never) => `${result} ${of}: ${message}`)).toEqual([
        expect.stringMatching(
          /^untried policies.default.protect\[0\].where.tier: "enterprise" matches no endpoint of shop, cart; of \d+ the list does not show what is compared\.$/,
        ),
        'fault groups.all.policy.waves[0].where.tier[0]: "intrenal" matches no runtime of group:all; perhaps "internal" is meant.',
        'ok groups.all.policy.waves[0].where.tier[1]: "free" matches 1 runtime of group:all (cart).',
      ]);
    });

    test('is a fault in a ring whose attribute no endpoint has, because every rollout would be refused', async () => {
      const wire = { endpoint: { attributes: { tier: 'serviceTier' } } };
      const waves = [{ where: { tier: 'internal' } }, { percent: 100 }];
      const known = {
        ...{ endpointUrl: service.url, wire, runtimes: { shop: {} } },
        policies: { default: { waves } },
      };
      const { code, checks } = await resultsOf(known, []);
      expect(code).toBe(2);
      expect(checks).toContainEqual(
        expect.objectContaining({
          ...{ check: 'pattern', of: 'policies.default.waves[0].where.tier', result: 'fault' },
        }),
      );
    });

    test('is no fault while it may match in a runtime that nobody has asked for', async () => {
      const { own } = await patternsIn('--runtime', 'shop');
      const first = own.find(({ of }: { of: string }) => of === 'policies.default.protect[0]');
      expect(first).toMatchObject({
        result: 'untried',
        message: '"staging" matches no endpoint of shop; it holds for cart too, not listed here.',
      });
    });

    test('is not shown to people when there are many like it, and all are well', async () => {
      const protect = Array.from({ length: 30 }, () => 'endpoint-*');
      const policies = { default: { protect } };
      const config = { endpointUrl: service.url, policies, runtimes: { shop: {} } };
      const { code, stdout } = await run(config);
      const lines = stdout.split('\n').filter((line) => line.includes('pattern'));
      expect([code, lines.length, lines.at(-1)]).toEqual([
        0,
        11,
        'ok       patterns: 20 more, which match some: --output json names all.',
      ]);
    });
  });

  test('says whether windows and freezes hold back each roll forward, or only the start', async () => {
    const windows = [{ from: '00:00', to: '24:00' }];
    const freezes = [{ from: '2020-12-18T18:00', to: '2021-01-04T08:00' }];
    const waves = [{ endpoints: 1 }, { percent: 50, windows }, { percent: 100 }];
    const policies = {
      started: { windows, freezes },
      rolled: { windows, windowsBind: 'rolls' },
      narrowed: { waves },
    };
    const runtimes = { shop: { policy: 'started' }, cart: { policy: 'rolled' } };
    const messagesOf = async (config: object) => {
      const { checks } = await resultsOf({ endpointUrl: service.url, policies, ...config });
      const own = checks.filter(({ check }: { check: string }) => check === 'windows');
      return own.map(({ message }: { message: string }) => message);
    };
    expect(await messagesOf({ runtimes })).toEqual([
      expect.stringMatching(/\. The windows and freezes hold back only the start of a rollout\.$/),
      expect.stringMatching(/\. The windows hold back each roll forward\.$/),
    ]);
    expect(await messagesOf({ runtimes: { shop: { policy: 'narrowed' } } })).toEqual([
      'Rollouts may start at any time. Windows of wave 2 hold back the rolls of that wave.',
    ]);
  });

  test('a policy that no runtime names is a fault, and default is not one: exit 2', async () => {
    const policies = { default: {}, strict: { bakeSeconds: 3_600 }, web: { bakeSeconds: 60 } };
    const runtimes = { shop: { policy: 'web' }, cart: { policy: 'default' } };
    const { code, checks } = await resultsOf({ endpointUrl: service.url, policies, runtimes });
    const faults = checks.filter(({ result }: { result: string }) => result === 'fault');
    expect({ code, faults }).toMatchObject({
      code: 2,
      faults: [
        { check: 'policy', of: 'strict', message: expect.stringMatching(/^No runtime names/) },
      ],
    });
    expect(faults).toHaveLength(1);
  });

  test('a machine without a region: said at once, and nothing of AWS is asked', async () => {
    const config = {
      endpointUrl: service.url,
      policies: { shop: { verify: { alarms: ['errors'] } } },
      runtimes: { shop: { policy: 'shop' } },
    };
    const { code, checks } = await resultsOf(config, [], { AWS_ENDPOINT_URL: urlOf(cloudWatch) });
    expect({ code, targets }).toEqual({ code: 2, targets: [] });
    expect(checks).toContainEqual(
      expect.objectContaining({
        ...{ check: 'alarms', result: 'fault' },
        message: expect.stringContaining('Region is missing. Set AWS_REGION'),
      }),
    );
  });

  test('a service that does not answer: exit 3, and it is asked once', async () => {
    const { policies, runtimes } = GOOD;
    const config = { endpointUrl: 'http://127.0.0.1:1', policies, runtimes };
    const { code, lines } = await resultsOf(config, [], onAws());
    expect(code).toBe(3);
    expect(lines.slice(0, 4)).toEqual([
      'unknown service',
      'untried credentials',
      'untried runtime shop',
      'untried probe shop',
    ]);
  });

  describe('another service, exported for something else,', () => {
    const dead = { endpointUrl: 'http://127.0.0.1:1', runtimes: { shop: {} } };
    const exported = () => ({ STEPROLL_ENDPOINT_URL: service.url, STEPROLL_SERVICE: 'agentcore' });

    test('is not asked when the command names the file', async () => {
      const { code, checks } = await resultsOf(dead, [], exported());
      expect({ code, requests }).toEqual({ code: 3, requests: [] });
      expect(checks[0].message).toContain(`http://127.0.0.1:1, from ${file}, endpointUrl: Upstr`);
    });

    test('nor by a rollout, with --config or with a profile that names it', async () => {
      writeFileSync(file, JSON.stringify(dead));
      const profiles = join(home, 'named');
      writeFileSync(profiles, `[dead]\nconfig = ${file}\n`);
      for (const how of [
        ['--config', file],
        ['--profile', 'dead'],
      ]) {
        const { code, stderr } = await runHere(
          ['rollout', 'plan', 'shop', '--version', '9', ...how],
          { ...exported(), STEPROLL_PROFILES_FILE: profiles, STEPROLL_STATE_DIR: home },
        );
        expect({ code, requests }).toEqual({ code: 3, requests: [] });
        expect(stderr).toContain('The endpoint URL is http://127.0.0.1:1, from ');
      }
    });

    test('is never ok for a file that a variable names: it says which URL was not asked', async () => {
      writeFileSync(file, JSON.stringify(dead));
      const variables = { STEPROLL_CONFIG: file, STEPROLL_ENDPOINT_URL: service.url };
      const { code, stdout } = await runHere(['config', 'check'], variables);
      expect(code).toBe(3);
      expect(stdout.replaceAll(/\n */g, ' ')).toContain(
        `unknown  service: ${service.url}, from STEPROLL_ENDPOINT_URL: it answers. The configuration says http://127.0.0.1:1, which was not asked because of STEPROLL_ENDPOINT_URL. untried  credentials`,
      );
      const typed = ['config', 'check', '--endpoint-url', service.url];
      expect((await runHere(typed, { STEPROLL_CONFIG: file })).code).toBe(0);
    });
  });

  test('refused credentials are a fault, with the place that they are from: exit 2', async () => {
    const config = { endpointUrl: urlOf(locked), runtimes: { shop: {} } };
    const { code, lines, checks } = await resultsOf(config, [], { STEPROLL_TOKEN: 'canary' });
    expect({ code, lines }).toMatchObject({
      code: 2,
      lines: ['ok service', 'fault credentials', 'untried runtime shop', 'ok windows shop'],
    });
    expect(checks[1].message).toMatch(/^A bearer token from STEPROLL_TOKEN\. UpstreamAuth: /);
    expect(JSON.stringify(checks)).not.toContain('canary');
  });

  test('without a runtime: only the form and the windows, as stderr says; the one that is shipped is good: exit 0', async () => {
    const shipped = fileURLToPath(new URL('../../../steproll.config.json', import.meta.url));
    const { code, stdout, stderr } = await runHere(['config', 'check', shipped], {});

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'ok       windows: Rollouts may start at any time.\n',
    });
    expect(stderr).toMatch(/^The configuration names no runtime, .+ --runtime shop .+\.\n$/);
  });

  test('--runtime names the runtimes, also where there is no configuration', async () => {
    const { lines } = await resultsOf({ ...GOOD, endpointUrl: service.url }, ['--runtime', 'cart']);
    expect(lines).toEqual([
      ...['ok service', 'ok credentials', 'ok runtime cart', 'ok statuses cart'],
      ...['ok windows cart', 'ok schedule nightly'],
    ]);
    const args = ['config', 'check', '--endpoint-url', service.url];
    expect(await runHere(args, {})).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('file: missing; name the configuration'),
    });
    expect(await runHere([...args, '--runtime', 'cart'], {})).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('tried with the policy default: cart\n'),
    });
  });

  test('-o id, of what has no ids, is a mistake: exit 2, and nothing is sent', async () => {
    const args = ['config', 'check', '--endpoint-url', service.url, '--runtime', 'cart'];
    expect(await runHere([...args, '-o', 'id'], {})).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--output: "id" is not allowed; use table or json'),
    });
    expect(requests).toEqual([]);
    const query = ['-o', 'id', '--query', "checks[?result=='ok'].check"];
    expect((await runHere([...args, ...query], {})).stdout).toMatch(/^service\n/);
  });

  test('mistakes in the file are said before anything is sent: exit 2', async () => {
    const { code, stderr } = await run(
      { endpointUrl: service.url, policies: { default: { bakeSeconds: -1 } } },
      [...['--config', 'second.json']],
    );
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain('--config: "second.json" is a second configuration; name one\n');
  });
});
