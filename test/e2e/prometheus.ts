import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProgram, freePort, keepOutput } from './own-program.ts';

/** The program of Debian. */
export const PROMETHEUS = 'prometheus';

export interface Prometheus {
  readonly url: string;
  end(): Promise<void>;
}

/** A server that reads these metrics every second. */
export async function startPrometheus(metrics: URL): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'steproll-prometheus-'));
  const config = join(folder, 'prometheus.yml');
  const scraped = {
    job_name: 'fleet',
    ...{ scrape_interval: '1s', scrape_timeout: '1s' },
    ...{ metrics_path: metrics.pathname, static_configs: [{ targets: [metrics.host] }] },
  };
  // JSON is YAML.
  writeFileSync(config, JSON.stringify({ scrape_configs: [scraped] }));
  const address = `127.0.0.1:${await freePort()}`;
  const program = spawn(
    PROMETHEUS,
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const said = keepOutput(program);
  const end = async () => {
    await endProgram(program);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(`http://${address}/-/ready`, program, said);
  } catch (error) {
    await end();
    throw error;
  }
  return { url: `http://${address}`, end };
}

async function untilReady(url: string, program: ChildProcess, said: () => string): Promise<void> {
  for (let tries = 0; tries < 600 && program.exitCode === null; tries += 1) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok === true) return;
    await sleep(100);
  }
  throw new Error(`Prometheus is not ready. It said:\n${said()}`);
}
