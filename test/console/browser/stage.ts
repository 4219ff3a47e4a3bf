import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { ended, saw, startCommand, startProgram } from '../../cli/program-process.ts';
import { type Session, takeSession } from '../take-session.ts';

/** A night shift: a fleet with faults, rollouts in processes of their own, and a console. */
export interface Stage {
  /** The link that the console has printed, and what it has given: it is used. */
  readonly link: string;
  readonly token: string;
  readonly origin: string;
  /** The process of the console. */
  readonly console: ChildProcess;
  /** The writes that have come to the service: `PUT /agent-runtimes/…`. */
  readonly writes: readonly string[];
  /** Runs a command to its end. */
  run(...args: readonly string[]): ReturnType<typeof ended>;
  /** Starts a command that is left alone. */
  start(...args: readonly string[]): ChildProcess;
  /** Types a whole command in a shell where nothing is set. */
  typed(command: string): ChildProcess;
  remove(): Promise<void>;
}

/** In version 3 of each runtime, endpoint-03 never goes live. */
const SCENARIO = {
  runtimes: ['shop', 'cart', 'pay', 'mail', 'search'].map((id) => ({
    id,
    version: 1,
    endpoints: id === 'cart' ? 40 : 6,
    rollSeconds: 0.5,
  })),
  faults: [{ endpoint: 'endpoint-03', version: 3, kind: 'stuck' }],
};

/** The policy of a runtime whose first wave waits for somebody. */
export const APPROVED = { policy: 'approved' };
/** A policy for a minute in which nothing is called stuck, and after which nothing else may end it. */
export const PATIENT = { policy: 'patient' };

const POLICIES = {
  default: { bakeSeconds: 0, pollSeconds: 1, progressDeadlineSeconds: 4 },
  approved: {
    // Only what is stuck is to fail soon, and never a good rollout on a machine that is slow.
    progressDeadlineSeconds: 600,
    waves: [{ endpoints: 1 }, { percent: 100 }],
    verify: {
      approval: { timeoutSeconds: 3_600, onTimeout: 'reject' },
      probe: { path: '/', hosts: ['*.localhost'], status: 204, tries: 1, enforce: false },
    },
  },
  patient: { progressDeadlineSeconds: 3_600 },
};

/**
 * @param scenario What `steproll serve --scenario` reads.
 * @param runtimes What the configuration says of runtimes.
 * @param groups What it says of groups.
 */
export async function setStage(
  scenario: unknown = SCENARIO,
  runtimes: object = { pay: APPROVED, mail: APPROVED, search: APPROVED },
  groups: object = {},
): Promise<Stage> {
  const home = mkdtempSync(join(tmpdir(), 'steproll-console-'));
  const writes: string[] = [];
  const server = await startEndpointServer({
    scenario: parseScenario(scenario),
    port: 0,
    clock: systemClock,
    onRequest({ method, url }) {
      if (method !== 'GET') writes.push(`${method} ${url}`);
    },
  });
  const config = join(home, 'config.json');
  const json = { endpointUrl: server.url, policies: POLICIES, runtimes, groups };
  writeFileSync(config, JSON.stringify(json));
  const variables = { STEPROLL_CONFIG: config };
  const start = (...args: readonly string[]) => startProgram(home, args, 'steproll', variables);
  const console = start('console', '--port', '0');
  const link = (await saw(console, '#code=')).trim();
  const session = await takeSession(link);
  const children: ChildProcess[] = [console];
  return {
    link,
    ...session,
    console,
    writes,
    run: (...args) => ended(start(...args)),
    start(...args) {
      const child = start(...args);
      children.push(child);
      return child;
    },
    typed(command) {
      const program = fileURLToPath(new URL('../../../bin/steproll.ts', import.meta.url));
      // The shell becomes the program, so that who ends the one ends the other.
      const line = command.replace(/(^| )steproll /, (_, before: string) => `${before}exec "$@" `);
      if (line === command) throw new Error(`This is no command of steproll: "${command}"`);
      const bare = { STEPROLL_STATE_DIR: '', HOME: '/nonexistent' };
      const shell = ['/bin/sh', '-c', line, 'sh', process.execPath, program];
      const child = startCommand('/nonexistent', shell, bare, tmpdir());
      children.push(child);
      return child;
    },
    async remove() {
      for (const child of children) child.kill('SIGKILL');
      await server.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/**
 * A page of the console, and what went wrong in it, in a browser that has opened a link before.
 *
 * @param how.at Its address. @default - the first page
 */
export async function openConsole(
  browser: Browser,
  { origin, token }: Session,
  how: NonNullable<Parameters<Browser['newPage']>[0]> & { readonly at?: string } = {},
): Promise<{ readonly page: Page; readonly faults: string[]; readonly hosts: Set<string> }> {
  const { at = origin, ...options } = how;
  const page = await browser.newPage({ storageState: keptBy({ origin, token }), ...options });
  page.setDefaultTimeout(120_000);
  const faults: string[] = [];
  const hosts = new Set<string>();
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type())) faults.push(line.text());
  });
  page.on('request', (request) => hosts.add(new URL(request.url()).origin));
  await page.goto(at);
  return { page, faults, hosts };
}

/** What a browser keeps of a session. */
export function keptBy({ origin, token }: Session) {
  return { cookies: [], origins: [{ origin, localStorage: [{ name: SESSION, value: token }] }] };
}

/** Where `lib/console/pages/server.ts` keeps it. */
const SESSION = 'steproll-session';
