import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Connection } from '../../../lib/adapters/http/connection.ts';
import { openAgentCoreService } from '../../../lib/adapters/services/agentcore/client.ts';
import type { AgentCoreResource } from '../../../lib/contract/service/services.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import type { AgentCoreDouble, DoubleRequest } from './double.ts';
import { CREDENTIALS } from './signature.ts';

/** The double on a port of this machine. */
export interface DoubleServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function serveDouble(double: AgentCoreDouble): Promise<DoubleServer> {
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk);
    const { method = '', url: path = '' } = message;
    const headers = message.headers as DoubleRequest['headers'];
    const answer = double.answer({ method, path, headers, body: Buffer.concat(chunks).toString() });
    if (answer === null) {
      message.socket.destroy();
      return;
    }
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The double as a service, without a network, so that time may be virtual. */
export async function openDoubles(
  clock: Clock,
  doubles: readonly [AgentCoreDouble, ...AgentCoreDouble[]],
  of: AgentCoreResource = 'runtime',
) {
  const service = await openAgentCoreService({
    region: 'eu-central-1',
    of,
    clock,
    credentials: CREDENTIALS,
    endpointUrl: 'http://127.0.0.1:1',
    random: () => 0.5,
    connection: connectDoubles(doubles),
  });
  // The SDK reads its files before its first call, and virtual time does not wait for files.
  await service.listVersions(doubles[0].runtimeId);
  return service;
}

/** With several doubles, each request goes to that of its runtime. */
function connectDoubles(doubles: readonly [AgentCoreDouble, ...AgentCoreDouble[]]): Connection {
  return {
    async send({ method, path, headers, body = '' }) {
      const double = doubles.find(({ runtimeId }) => path.includes(`/${runtimeId}/`)) ?? doubles[0];
      const answer = double.answer({ method, path, headers, body });
      if (answer === null) {
        return { kind: 'no-answer', sent: true, cause: new Error('socket hang up') };
      }
      return { kind: 'answer', ...answer, body: Buffer.from(answer.body) };
    },
    close: () => Promise.resolve(),
  };
}
