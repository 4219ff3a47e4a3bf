import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readListenerFile } from '../../../lib/adapters/listener/listener-file.ts';
import { publishToListener } from '../../../lib/adapters/listener/publish-to-listener.ts';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { type HttpTestServer, startHttpServer } from '../../adapters/http/fault-server.ts';
import { takeSession } from '../../console/take-session.ts';
import { closed, ended, killPrograms, saw, startProgram } from '../program-process.ts';
import { startHere } from '../run-here.ts';

let home = '';
let service: Awaited<ReturnType<typeof startEndpointServer>>;
let hooks: HttpTestServer;
/** What the webhook's server answers. `null`: nothing. */
let status: number | null = 200;
/** `Rollout Ended` and the rollout, of each message that was taken. */
let taken: string[] = [];

beforeAll(async () => {
  const runtimes = ['quick', 'other'].map((id) => ({ id, endpoints: 2, rollSeconds: 0.1 }));
  service = await startEndpointServer({
    scenario: parseScenario({ runtimes }),
    port: 0,
    clock: systemClock,
  });
});
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'steproll-webhooks-'));
  status = 200;
  taken = [];
  hooks = await startHttpServer(({ body }, response) => {
    if (status === null) return;
    if (status === 200) {
      const { 'detail-type': type, detail } = JSON.parse(body);
      taken.push(`${type} ${detail.rolloutId ?? detail.holdId}`);
    }
    response.writeHead(status).end();
  });
});
afterEach(() => {
  killPrograms();
  rmSync(home, { recursive: true, force: true });
});
afterAll(() => service.close());

/** The path is a secret. */
const urlOfHooks = () => `${hooks.url}/services/canary`;

let version = 1;
/** A rollout of the runtime in the home folder, by the configuration. */
function startArguments(runtimeId = 'quick', webhook: object = {}, bakeSeconds = 0) {
  writeFileSync(
    join(home, 'config.json'),
    JSON.stringify({
      endpointUrl: service.url,
      policies: { default: { waves: [{ percent: 100 }], bakeSeconds, pollSeconds: 1 } },
      runtimes: { quick: {}, other: {} },
      notifications: { webhooks: [{ url: urlOfHooks(), ...webhook }] },
    }),
  );
  version += 1;
  const what = [runtimeId, '--version', `${version}`, '--yes'];
  return ['rollout', 'start', ...what, '--config', 'config.json', '-o', 'json'];
}

const KINDS = ['Rollout Started', 'Wave Started', 'Wave Converged', 'Rollout Ended'];
const eventsOf = (rolloutId: string) => KINDS.map((kind) => `${kind} ${rolloutId}`);
const idIn = (stdout: string) => JSON.parse(stdout).rolloutId as string;

describe('a rollout', () => {
  test('tells a webhook each event in order, and ends at once when it has them', async () => {
    const { code, stdout, stderr } = await ended(startHere(home, startArguments()));
    expect(code).toBe(0);
    expect(taken).toEqual(eventsOf(idIn(stdout)));
    expect(stderr).not.toMatch(/not delivered|canary/);
  });

  test.each([
    ['answers 500', 500, '500'],
    ['never answers', null, ''],
  ])(
    'is not held up by a server that %s: Ctrl-C ends the wait for it, and it is said what is left',
    async (_, answers, why) => {
      status = answers;
      const child = startHere(home, startArguments());
      const output = ended(child);
      const stdout = await saw(child, '"outcome"');
      child.kill('SIGINT');
      const { code, stderr } = await output;
      expect(code).toBe(0);
      expect(stdout).toContain('Succeeded');
      expect(stderr).toMatch(
        /notifications\.webhooks\[0\] \(127\.0\.0\.1:\d+\): 4 messages are not/,
      );
      expect(stderr).toContain(why);
      expect(stderr).not.toContain('canary');
    },
  );

  test('L04: killed between its end and the delivery has it done by the next one, in order and once', async () => {
    status = 500;
    const killed = startProgram(home, startArguments());
    const first = await saw(killed, '"outcome"');
    killed.kill('SIGKILL');
    await closed(killed);

    status = 200;
    const { stdout } = await ended(startHere(home, startArguments('other')));
    const id = /"rolloutId": ?"([^"]+)"/.exec(first)?.[1] ?? '';
    expect(taken).toEqual([...eventsOf(id), ...eventsOf(idIn(stdout))]);
  });

  test('L04: that was killed and is ended by the next one is told as ended, too', async () => {
    const killed = startProgram(home, startArguments('quick', {}, 600));
    while (!taken.some((event) => event.startsWith('Wave Converged'))) await systemClock.sleep(20);
    killed.kill('SIGKILL');
    await closed(killed);
    const id = taken[0]?.replace('Rollout Started ', '');
    const before = KINDS.slice(0, 3).map((kind) => `${kind} ${id}`);
    expect(taken).toEqual(before);

    const { code, stdout } = await ended(startHere(home, startArguments('quick')));
    expect(code).toBe(0);
    // What was taken just before the kill may not be noted as taken: at least once.
    expect(new Set(taken).size).toBe(8);
    expect(taken.slice(0, 3)).toEqual(before);
    expect(taken.filter((event) => event.endsWith(idIn(stdout)))).toEqual(eventsOf(idIn(stdout)));
    expect(taken).toContain(`Rollout Ended ${id}`);
  });

  test('and another one of the same state directory tell everything once, each in its order', async () => {
    const [one, two] = [startArguments('quick'), startArguments('other')];
    const results = await Promise.all([one, two].map((args) => ended(startProgram(home, args))));
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect(taken).toHaveLength(8);
    for (const { stdout } of results) {
      const id = idIn(stdout);
      expect(taken.filter((event) => event.endsWith(id))).toEqual(eventsOf(id));
    }
  });

  test('sends only what the webhook asks for', async () => {
    const { stdout } = await ended(startHere(home, startArguments('quick', { events: ['ended'] })));
    expect(taken).toEqual([`Rollout Ended ${idIn(stdout)}`]);
  });

  test('that ended unheard, because nothing was configured, is not told later', async () => {
    const file = join(home, 'config.json');
    const args = startArguments();
    const { notifications: _, ...config } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify(config));
    expect((await ended(startHere(home, args))).code).toBe(0);
    const { stdout } = await ended(startHere(home, startArguments('other')));
    expect(taken).toEqual(eventsOf(idIn(stdout)));
  });
});

describe('a hold', () => {
  const HOW = ['--reason', 'patching', '--yes', '--config', 'config.json', '-o', 'json'];
  const add = () => ended(startHere(home, ['hold', 'add', 'freeze', '--until', '1h', ...HOW]));

  test('is told to a webhook at once, and once, and so is its end', async () => {
    startArguments();
    const { code, stdout } = await add();
    const { id } = JSON.parse(stdout);
    expect({ code, taken }).toEqual({ code: 0, taken: [`Hold Added ${id}`] });
    await ended(startHere(home, ['hold', 'lift', id, ...HOW]));
    expect(taken).toEqual([`Hold Added ${id}`, `Hold Lifted ${id}`]);
  });

  test('holds all the same where nothing can be noted for webhooks, and is told by the next command', async () => {
    startArguments();
    await add();
    const inLedger = (sql: string) => {
      const database = new DatabaseSync(join(home, 'ledger.sqlite'));
      database.exec(sql);
      database.close();
    };
    inLedger('DROP TABLE webhook_message; CREATE VIEW webhook_message AS SELECT 1');
    const { code, stdout, stderr } = await add();
    const { id } = JSON.parse(stdout);
    expect({ code, taken }).toEqual({ code: 0, taken: [expect.any(String)] });
    expect(stderr).toContain('were not told');

    inLedger('DROP VIEW webhook_message');
    await add();
    expect(taken).toContain(`Hold Added ${id}`);
  });

  test('of the console is told while the console runs, and both where two have one id', async () => {
    startArguments();
    const child = startHere(home, ['console', '--port', '0', '--config', 'config.json']);
    const output = ended(child);
    const { origin, token } = await takeSession(await saw(child, '#code='));
    const headers = { authorization: `Bearer ${token}`, origin: `${origin}` };
    for (const reason of ['first', 'second']) {
      const body = JSON.stringify({ kinds: ['freeze', 'pause'], seconds: 3_600, reason });
      const how = { ...headers, 'content-type': 'application/json' };
      const answer = await fetch(`${origin}/api/holds`, { method: 'POST', headers: how, body });
      expect(answer.status).toBe(200);
      const before = reason === 'first' ? 0 : 2;
      while (taken.length < before + 2) await systemClock.sleep(20);
    }
    child.kill('SIGINT');
    await output;
    expect(taken).toHaveLength(4);
    expect(new Set(taken).size).toBe(2);
  });

  test('is a line of the next listener, and of that alone', async () => {
    startArguments();
    const { id } = JSON.parse((await add()).stdout);
    const listen = async () => {
      const child = startHere(home, ['listen', '--config', 'config.json', '--port', '0']);
      const output = ended(child);
      await saw(child, 'Listening at');
      // It tells what it found before it ends.
      child.kill('SIGTERM');
      return (await output).stdout;
    };
    const lines = (await listen()).trim().split('\n');
    expect(lines.map((one) => JSON.parse(one))).toMatchObject([
      { source: 'steproll', 'detail-type': 'Hold Added', detail: { holdId: id } },
    ]);
    expect(await listen()).toBe('');
    expect(taken).toEqual([`Hold Added ${id}`]);
  });
});

test('a listener tells them too, says what is wrong with a webhook, and hands over what is left', async () => {
  status = 500;
  startArguments();
  const listen = ['listen', '--config', 'config.json', '--port', '0'];
  const first = startProgram(home, listen);
  await saw(first, 'Listening at');
  version += 1;
  const output = ended(first);
  const isOver = saw(first, 'Rollout Ended');
  const { rolloutId } = await publishToListener(home, {
    source: 'steproll.release',
    'detail-type': 'Release Published',
    detail: { runtimeId: 'quick', version, releaseId: `build-${version}` },
  });
  await isOver;
  expect(readListenerFile(home)).not.toBeNull();
  first.kill('SIGKILL');
  const { stderr } = await output;
  expect(stderr).toMatch(/notifications\.webhooks\[0\] .*: 500\. It is tried again/);
  expect(stderr).not.toContain('canary');

  status = 200;
  const second = startHere(home, listen);
  const isDelivered = ended(second);
  while (taken.length < KINDS.length) await systemClock.sleep(20);
  second.kill('SIGTERM');
  expect((await isDelivered).code).toBe(0);
  expect(taken).toEqual(eventsOf(rolloutId));
});

describe('config check', () => {
  const check = async (webhooks: readonly object[], variables = {}) => {
    const file = join(home, 'check.json');
    const runtimes = { quick: {} };
    const config = { endpointUrl: service.url, runtimes, notifications: { webhooks } };
    writeFileSync(file, JSON.stringify(config));
    const args = ['config', 'check', file, '-o', 'json'];
    const { code, stdout, stderr } = await ended(startHere(home, args, variables));
    expect(stdout + stderr).not.toContain('canary');
    const rows: { check: string; of: string; result: string; message: string }[] =
      stdout === '' ? [] : JSON.parse(stdout).checks;
    return { code, stderr, rows: rows.filter((row) => row.check === 'webhook') };
  };

  test('has a row for each webhook, without the path, and sends nothing', async () => {
    const { code, rows } = await check(
      [
        { url: urlOfHooks() },
        {
          ...{ url: { environment: 'SLACK_URL' }, format: 'slack', events: ['failing', 'ended'] },
          secret: { environment: 'KEY' },
        },
      ],
      {
        SLACK_URL: 'https://hooks.slack.com/services/canary?sig=canary',
        KEY: 'canary',
        HTTPS_PROXY: 'http://proxy.corp:3128',
      },
    );
    expect({ code, rows }).toMatchObject({
      code: 0,
      rows: [
        {
          of: 'notifications.webhooks[0]',
          result: 'ok',
          message: expect.stringContaining(`${hooks.url} as json`),
        },
        {
          of: 'notifications.webhooks[1]',
          result: 'ok',
          message: expect.stringMatching(
            /failing, ended to https:\/\/hooks\.slack\.com as slack, signed, through http:\/\/proxy/,
          ),
        },
      ],
    });
    expect(hooks.received).toEqual([]);
  });

  test.each([
    ['a URL that is not there', { url: { environment: 'NO_URL' } }, /NO_URL is not set/],
    [
      'a URL that is none',
      { url: { environment: 'CANARY' } },
      /the URL in its secret: http is only for this machine/,
    ],
    [
      'a secret that is not there',
      { url: 'https://h.example.com', secret: { environment: 'NO' } },
      /NO is not set/,
    ],
  ])('has a fault for %s', async (_, webhook, message) => {
    const { code, rows } = await check([webhook], { CANARY: 'http://hooks.example.com/canary' });
    expect({ code, rows }).toMatchObject({
      code: 2,
      rows: [{ result: 'fault', message: expect.stringMatching(message) }],
    });
  });

  test.each([
    [{ url: 'http://hooks.example.com/canary' }, 'http is only for this machine'],
    [{ url: 'https://me:canary@hooks.example.com/x' }, 'a user name or password'],
    [{ url: 'https://169.254.169.254/canary' }, 'is not allowed'],
    [{ url: 'https://hooks.example.com/#canary' }, 'a fragment is not allowed'],
    [{ url: 'canary' }, 'not a URL'],
    [{ url: urlOfHooksLike(), events: ['finished'] }, 'use one of'],
    [{ url: urlOfHooksLike(), format: 'discord' }, 'use one of "json", "slack", "teams"'],
    [{ format: 'json' }, 'notifications.webhooks[0].url: missing'],
  ])('%j is a mistake that is told without the URL', async (webhook, sentence) => {
    const { code, stderr } = await check([webhook]);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });

  test('a URL that is named twice is a mistake, and so is a list of texts', async () => {
    const url = { environment: 'SLACK_URL' };
    expect((await check([{ url }, { url }])).stderr).toContain('use each URL once');
    expect((await check(['https://h.example.com/canary' as never])).code).toBe(2);
  });
});

function urlOfHooksLike() {
  return 'https://hooks.example.com/canary';
}
