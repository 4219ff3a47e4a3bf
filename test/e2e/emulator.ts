import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProgram, freePort, keepOutput } from './own-program.ts';

/** An AWS of this machine's own. */
export interface Emulator {
  /** What a program needs in its environment to call it. */
  readonly env: Readonly<Record<string, string>>;
  end(): Promise<void>;
}

/** The program that is it. */
export const EMULATOR = 'ministack';

/** Waits of executions take this share of their time. */
const WAIT_SCALE = '0.1';

export async function startEmulator(): Promise<Emulator> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'steproll-aws-'));
  const url = `http://127.0.0.1:${port}`;
  const emulator = spawn(EMULATOR, [], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...withoutAws(process.env),
      // Its functions run on the Node.js of this process.
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      TMPDIR: folder,
      AUTH: 'true',
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      IOT_MTLS_ENABLED: '0',
      LAMBDA_EXECUTOR: 'local',
      SFN_WAIT_SCALE: WAIT_SCALE,
    },
  });
  const said = keepOutput(emulator);
  const end = async () => {
    await endProgram(emulator);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilItAnswers(url, emulator, said);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    env: {
      AWS_ENDPOINT_URL: url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    },
    end,
  };
}

/** Its functions have its environment, and would call an emulator that has ended instead of this one. */
function withoutAws(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('AWS_')),
  );
}

async function untilItAnswers(url: string, emulator: ChildProcess, said: () => string) {
  for (let tries = 0; tries < 300; tries += 1) {
    if (emulator.exitCode !== null) break;
    const answer = await fetch(url).catch(() => null);
    if (answer !== null) return;
    await sleep(100);
  }
  throw new Error(`The emulator does not answer. It said:\n${said()}`);
}
