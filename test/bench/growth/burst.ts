import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type ListenerAddress,
  readListenerFile,
} from '../../../lib/adapters/listener/listener-file.ts';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { saw, startProgram } from '../../cli/program-process.ts';

export interface Burst {
  readonly releases: number;
  /** The releases go to so many runtimes in turn. */
  readonly runtimes: number;
  /** Parts of the policy of all runtimes. */
  readonly policy: object;
}

export interface BurstCost {
  /** How many rollouts ended, by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Reads that had no answer in time, against a service that answers at once. */
  readonly timeouts: number;
  /** CPU seconds of the listener until the last release was accepted, and until the last rollout had ended. */
  readonly acceptedCpu: number;
  readonly cpu: number;
  /** The most memory that the listener had, in megabytes. */
  readonly megabytes: number;
  /** Requests to the service. */
  readonly calls: number;
}

/** Senders at work at the same time. */
const SENDERS = 50;

/** Sends a burst of releases to a listener in a process of its own, and waits until every rollout has ended. */
export async function runBurst({ releases, runtimes, policy }: Burst): Promise<BurstCost> {
  const ids = Array.from({ length: runtimes }, (_, index) => `tenant-${index + 1}`);
  let calls = 0;
  const server = await startEndpointServer({
    scenario: parseScenario({
      runtimes: ids.map((id) => ({ id, endpoints: 1, rollSeconds: 0.1 })),
    }),
    port: 0,
    clock: systemClock,
    onRequest() {
      calls += 1;
    },
  });
  const home = mkdtempSync(join(tmpdir(), 'steproll-burst-'));
  const config = {
    endpointUrl: server.url,
    policies: { default: { bakeSeconds: 0, pollSeconds: 1, ...policy } },
    runtimes: Object.fromEntries(ids.map((id) => [id, {}])),
  };
  writeFileSync(join(home, 'config.json'), JSON.stringify(config));
  const listener = startProgram(home, ['listen', '--config', 'config.json', '--port', '0']);
  try {
    const outcomes: Record<string, number> = {};
    let timeouts = 0;
    const over = new Promise<void>((resolve, reject) => {
      let ended = 0;
      listener.once('close', () => reject(new Error('The listener has ended.')));
      linesOf(listener.stdout, (line) => {
        const { 'detail-type': type, detail } = JSON.parse(line);
        if (type !== 'Rollout Ended') return;
        const { outcome } = detail as { readonly outcome: string };
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        ended += 1;
        if (ended === releases) resolve();
      });
    });
    linesOf(listener.stderr, (line) => {
      if (/no complete answer within|UpstreamTimeout/.test(line)) timeouts += 1;
    });
    over.catch(() => undefined);
    await saw(listener, 'Listening at');
    const address = readListenerFile(home) as ListenerAddress;
    const idle = cpuSecondsOf(listener.pid);
    await sendAll(releases, ids, address);
    const acceptedCpu = cpuSecondsOf(listener.pid) - idle;
    await over;
    const cpu = cpuSecondsOf(listener.pid) - idle;
    return { outcomes, timeouts, acceptedCpu, cpu, megabytes: megabytesOf(listener.pid), calls };
  } finally {
    listener.kill('SIGKILL');
    await server.close();
    rmSync(home, { recursive: true });
  }
}

async function sendAll(
  releases: number,
  ids: readonly string[],
  { url, token }: ListenerAddress,
): Promise<void> {
  let sent = 0;
  const sendOn = async () => {
    while (sent < releases) {
      const index = sent++;
      const body = JSON.stringify({
        source: 'steproll.release',
        'detail-type': 'Release Published',
        detail: {
          runtimeId: ids[index % ids.length],
          version: 2 + Math.floor(index / ids.length),
          releaseId: `build-${index}`,
        },
      });
      await send(`${url}/events`, token, body);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sendOn));
}

/** Each has a connection of its own, like `steproll release publish`. */
async function send(url: string, token: string, body: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sending = request(url, { method: 'POST', agent: false, headers }).end(body);
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  answer.resume();
  if (answer.statusCode !== 202) throw new Error(`A release was answered ${answer.statusCode}.`);
  await once(answer, 'end');
}

function linesOf(stream: NodeJS.ReadableStream | null, onLine: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', onLine);
}

const TICKS_PER_SECOND = 100;

/** User and system time of a process, from Linux. */
function cpuSecondsOf(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function megabytesOf(pid: number | undefined): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
