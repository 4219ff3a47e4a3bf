import type { OpenSockets, Sockets } from '../../lib/adapters/http/network.ts';
import { createEndpointClient } from '../../lib/adapters/services/rest/client.ts';
import type { VirtualTime } from '../../lib/rehearsal/virtual-time.ts';
import { toRow } from '../../lib/simulation/routes.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { createWorld } from '../../lib/simulation/world.ts';
import {
  type Answer,
  type Arrived,
  simulatedSockets,
} from '../scenarios/simulation/wire/sockets.ts';

interface SlowServiceOptions {
  /** Ids of runtimes, each with one endpoint on version 900. */
  readonly runtimes: readonly string[];
  readonly time: VirtualTime;
  /** Milliseconds until an answer. */
  readonly answersAfterMs: number;
}

/** The product's client in front of a simulated service that answers slowly, in virtual time. */
export function startSlowService({ runtimes, time, answersAfterMs }: SlowServiceOptions) {
  const world = createWorld(
    parseScenario({
      runtimes: runtimes.map((id) => ({ id, version: 900, endpoints: 1, rollSeconds: 10 })),
    }),
    time.now,
  );
  /** Every request that has left the client, in order. */
  const requests: Arrived[] = [];
  let missed = 0;
  const openSockets: OpenSockets = (_, most) =>
    sharing(
      simulatedSockets({
        time,
        latencyMs: answersAfterMs,
        next: () => ({ kind: 'plain', seconds: 0, retryAfter: 'none' }),
        onSent: (request) => requests.push(request),
        refuse: () => undefined,
        carryOut: ({ method, path }) => {
          const [, runtimeId = '', id = '', version] =
            /^\/agent-runtimes\/([^/]+)\/endpoints\/?([^?]*)\?(?:version=(\d+))?/.exec(path) ?? [];
          return method === 'GET'
            ? page(world.read(runtimeId).map((endpoint) => toRow(endpoint, runtimeId)))
            : json(
                toRow(world.roll(runtimeId, decodeURIComponent(id), Number(version)), runtimeId),
              );
        },
      }),
      most,
    );
  const client = createEndpointClient({
    baseUrl: 'https://endpoints.example.com',
    clock: time,
    random: () => 0.5,
    openSockets,
    onExchange({ status }) {
      if (status === null) missed += 1;
    },
  });
  return {
    client,
    world,
    requests,
    /** Requests that the client gave up. */
    missed: () => missed,
  };
}

/** Each socket has one request at a time, as those of undici: the others wait for one. */
function sharing(sockets: Sockets, most: number): Sockets {
  let free = most;
  const waiting: (() => void)[] = [];
  const leave = () => {
    free += 1;
    waiting.shift()?.();
  };
  return {
    ...sockets,
    dispatch(options, handler) {
      const start = () => {
        free -= 1;
        sockets.dispatch(options, {
          ...handler,
          onResponseEnd(...end) {
            leave();
            handler.onResponseEnd?.(...end);
          },
          onResponseError(...error) {
            leave();
            handler.onResponseError?.(...error);
          },
        });
      };
      if (free > 0) start();
      else waiting.push(start);
      return true;
    },
  };
}

function page(listData: readonly object[]): Answer {
  const { length } = listData;
  return json({ listData, page: 1, pageSize: 100, totalPage: 1, totalItem: length });
}

function json(body: unknown): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}
