import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../lib/simulation/server.ts';

export const GROUP = 'all';
/** This version breaks the first endpoint of every runtime. */
export const BAD_VERSION = 3;

export interface SoakOptions {
  readonly runtimes: number;
  readonly endpoints: number;
  readonly rollSeconds: number;
  readonly maxAtRisk: number;
}

export interface Roll {
  readonly runtimeId: string;
  readonly endpointId: string;
  readonly version: number;
}

/** `steproll serve` in this process, and a home folder with a configuration that has all its runtimes in one group. */
export interface SoakService {
  readonly home: string;
  /** The variables of a program that works on it. */
  readonly variables: Readonly<Record<string, string>>;
  /** The rolls that it was asked for, in order. */
  readonly rolls: readonly Roll[];
  /** The live versions of the endpoints of each runtime. */
  liveVersions(): Promise<ReadonlyMap<string, readonly number[]>>;
  close(): Promise<void>;
}

export async function startSoakService(options: SoakOptions): Promise<SoakService> {
  const { runtimes, endpoints, rollSeconds, maxAtRisk } = options;
  const ids = Array.from({ length: runtimes }, (_, index) => `tenant-${index + 1}`);
  const scenario = parseScenario({
    runtimes: ids.map((id) => ({ id, endpoints, rollSeconds })),
    faults: [{ endpoint: 'endpoint-01', version: BAD_VERSION, kind: 'fail' }],
  });
  const rolls: Roll[] = [];
  const server = await startEndpointServer({
    scenario,
    port: 0,
    clock: systemClock,
    onRequest({ method, url }) {
      const [, runtimeId = '', endpointId = '', version] =
        /\/agent-runtimes\/([^/]+)\/endpoints\/([^/?]+)\?version=(\d+)$/.exec(url) ?? [];
      if (method === 'PUT') rolls.push({ runtimeId, endpointId, version: Number(version) });
    },
  });
  const home = mkdtempSync(join(tmpdir(), 'steproll-soak-'));
  const polls = { pollSeconds: 1, maxPollSeconds: 5 };
  const all = { percent: 100 };
  const config = {
    endpointUrl: server.url,
    policies: { default: { ...polls, bakeSeconds: 0, maxUnavailable: all } },
    runtimes: Object.fromEntries(ids.map((id) => [id, {}])),
    groups: {
      [GROUP]: {
        runtimes: ['*'],
        policy: { ...polls, waves: [all], maxUnavailable: all, maxAtRisk },
      },
    },
  };
  const file = join(home, 'config.json');
  writeFileSync(file, JSON.stringify(config));
  return {
    home,
    variables: { STEPROLL_CONFIG: file },
    rolls,
    async liveVersions() {
      const lists = ids.map(async (id) => {
        const url = `${server.url}/agent-runtimes/${id}/endpoints?size=100`;
        const { listData } = (await (await fetch(url)).json()) as List;
        return [id, listData.map(({ liveVersion }) => liveVersion)] as const;
      });
      return new Map(await Promise.all(lists));
    },
    async close() {
      await server.close();
      rmSync(home, { recursive: true });
    },
  };
}

interface List {
  readonly listData: readonly { readonly liveVersion: number }[];
}
