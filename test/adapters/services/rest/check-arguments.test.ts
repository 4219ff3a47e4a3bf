import { describe, expect, test } from '@jest/globals';
import { createEndpointClient } from '../../../../lib/adapters/services/rest/client.ts';
import { clientOf, rowsOf, sendJson, startHttpServer, thrownBy } from '../../http/fault-server.ts';
import { createTestClock } from '../../http/test-clock.ts';

const NO_COUNTS: readonly unknown[] = [0, -1, 1.5, Number.NaN, 2 ** 53, '3', '3&x=1', null, {}];

async function startClient() {
  const server = await startHttpServer((_request, response) => sendJson(response, rowsOf(1)[0]));
  return { server, client: clientOf(server.url) };
}

describe('C01: what a program without types may hand over is refused unsent:', () => {
  test.each([...NO_COUNTS, undefined])('%p as the version to roll to', async (version) => {
    const { server, client } = await startClient();
    const error = await thrownBy(client.roll('r1', 'e1', version as number));
    expect(error).toMatchObject({ name: 'InvalidInput' });
    expect(error.message).toContain('Invalid roll, 1 mistake:\n  version: ');
    expect(server.received).toHaveLength(0);
  });

  test.each(NO_COUNTS)('%p as the version of a new endpoint', async (version) => {
    const { server, client } = await startClient();
    const input = { name: 'n', version: version as number };
    expect(await thrownBy(client.create('r1', input))).toMatchObject({ name: 'InvalidInput' });
    expect(server.received).toHaveLength(0);
  });

  test.each([undefined, '', 7])('%p as the name of a new endpoint', async (name) => {
    const { server, client } = await startClient();
    const error = await thrownBy(client.create('r1', { name: name as string }));
    expect(error).toMatchObject({ name: 'InvalidInput' });
    expect(server.received).toHaveLength(0);
  });

  test.each([...NO_COUNTS, undefined])('%p as a page, and as its size', async (count) => {
    const { server, client } = await startClient();
    const query = { page: count as number, size: count as number };
    const error = await thrownBy(client.listPage('r1', query));
    expect(error).toMatchObject({ name: 'InvalidInput' });
    expect(error.message).toContain('2 mistakes');
    expect(server.received).toHaveLength(0);
  });

  test('0 as the page size of a sweep', async () => {
    const { server } = await startClient();
    const error = await thrownBy(clientOf(server.url, { pageSize: 0 }).list('r1'));
    expect(error).toMatchObject({ name: 'InvalidInput' });
    expect(server.received).toHaveLength(0);
  });
});

describe('C06: the base URL', () => {
  const open = (baseUrl: string) => createEndpointClient({ baseUrl, clock: createTestClock() });

  test.each([
    ['https://me:canary@service.example/x', 'a user name or password is not allowed'],
    ['https://service.example/x?key=canary', 'a query is not allowed'],
    ['https://service.example/x#canary', 'a fragment is not allowed'],
    ['http://169.254.169.254', 'the address 169.254.169.254 is not allowed'],
    ['ftp://service.example', 'it must start with https://'],
    ['service', 'not a URL'],
    [undefined, 'not a URL'],
  ])('%s is refused without being shown', (baseUrl, message) => {
    expect(() => open(baseUrl as string)).toThrow(
      expect.objectContaining({
        name: 'InvalidInput',
        message: expect.stringContaining(message),
      }),
    );
    expect(() => open(baseUrl as string)).not.toThrow(/canary/);
  });

  test('may be plain http, and may end in slashes', async () => {
    await open('http://service.example').close();
    const { server } = await startClient();
    await clientOf(`${server.url}/runtime//`).stop('r1', 'e1');
    expect(server.received[0]?.url).toBe('/runtime/agent-runtimes/r1/endpoints/e1/stop');
  });
});
