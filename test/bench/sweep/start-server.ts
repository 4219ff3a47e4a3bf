import { fork } from 'node:child_process';
import { once } from 'node:events';

export interface BenchServer {
  readonly url: string;
  /** Requests since it was last asked. */
  countRequests(): Promise<number>;
  stop(): void;
}

/** Serves a runtime's endpoints in a process of its own. */
export async function startServer(endpoints: number, pageSize: number): Promise<BenchServer> {
  const file = new URL('serve-endpoints.ts', import.meta.url);
  const child = fork(file, [String(endpoints), String(pageSize)]);
  const [port] = await once(child, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    async countRequests() {
      child.send('count');
      const [count] = await once(child, 'message');
      return count;
    },
    stop() {
      child.disconnect();
    },
  };
}
