import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../lib/simulation/server.ts';
import { ended, saw, startCommand } from '../cli/program-process.ts';
import { execForm, imageEnvironment, inImage, readContainerfile } from './containerfile.ts';
import { containerCommand, firstProcess } from './surroundings.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
/** Where the paths of the image begin here. */
const image = mkdtempSync(join(tmpdir(), 'steproll-image-'));
const inside = (path: string) => (path.startsWith('/') ? join(image, path) : path);
const [VOLUME = ''] = execForm(inImage('VOLUME')[0]).map(inside);
const started: ReturnType<typeof startCommand>[] = [];
let service: Awaited<ReturnType<typeof startEndpointServer>>;
let surroundings: readonly string[];

beforeAll(async () => {
  const scenario = parseScenario({ runtimes: [{ id: 'shop', endpoints: 2, rollSeconds: 0.1 }] });
  service = await startEndpointServer({ scenario, port: 0, clock: systemClock });
  build();
  chmodSync(image, 0o755);
  makeVolume(0o1777);
  const config = {
    endpointUrl: service.url,
    policies: { default: { waves: [{ percent: 100 }], bakeSeconds: 0, pollSeconds: 1 } },
    runtimes: { shop: {} },
  };
  mkdirSync(inside('/etc/steproll'), { recursive: true });
  writeFileSync(inside('/etc/steproll/steproll.config.json'), JSON.stringify(config));
  surroundings = containerCommand(VOLUME);
});

afterAll(async () => {
  for (const child of started) kill(child, 'SIGKILL');
  await service.close();
  for (const folder of globSync('opt/**/', { cwd: image })) chmodSync(join(image, folder), 0o755);
  rmSync(image, { recursive: true });
});

/** What the builder does, without a network: the packages are those that npm has put into this repository. */
function build(): void {
  const folder = join(image, 'build');
  mkdirSync(folder);
  for (const { name, text, stage } of readContainerfile()) {
    if (name !== 'COPY' || stage !== 0) continue;
    const paths = text.split(' ').slice(0, -1);
    for (const path of paths)
      cpSync(join(REPOSITORY, path), join(folder, path), { recursive: true });
  }
  const packages = join(folder, 'node_modules');
  symlinkSync(join(REPOSITORY, 'node_modules'), packages);
  execFileSync(process.execPath, ['.toolchain/bundle.mts'], { cwd: folder });
  rmSync(packages);
  for (const path of productionPackages()) {
    cpSync(join(REPOSITORY, path), join(folder, path), { recursive: true });
  }
  for (const text of inImage('COPY')) {
    const [, from = '', to = ''] = text.split(' ');
    cpSync(inside(from), inside(to), { recursive: true });
  }
  rmSync(folder, { recursive: true });
  for (const path of globSync('opt/**', { cwd: image })) {
    const { mode } = statSync(join(image, path));
    chmodSync(join(image, path), mode & 0o555);
  }
}

/** What `npm prune --omit=dev` leaves. */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8'));
  interface Locked {
    readonly dev?: boolean;
    readonly devOptional?: boolean;
    readonly peer?: boolean;
    readonly link?: boolean;
  }
  return Object.entries<Locked>(packages)
    .filter(
      ([path, { dev, devOptional, peer, link }]) =>
        path.startsWith('node_modules/') && !(dev || devOptional || peer || link),
    )
    .map(([path]) => path);
}

function makeVolume(mode: number): void {
  rmSync(VOLUME, { recursive: true, force: true });
  mkdirSync(VOLUME, { recursive: true });
  chmodSync(VOLUME, mode);
}

/** The environment of the image, and nothing else: no HOME. */
function environment(): Record<string, string> {
  const { STEPROLL_STATE_DIR = '', ...others } = imageEnvironment();
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  return { ...others, PATH: path, STEPROLL_STATE_DIR: inside(STEPROLL_STATE_DIR) };
}

/** Starts a command in the container. */
function run(command: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const all = Object.entries({ ...environment(), ...variables });
  const env = ['env', '-i', ...all.map(([name, value]) => `${name}=${value}`)];
  const words = [...surroundings, ...env, ...command.map(inside)];
  const child = startCommand(image, words, {}, image);
  started.push(child);
  return child;
}

const ENTRYPOINT = execForm(inImage('ENTRYPOINT')[0]);
const steproll = (words: string, variables?: Readonly<Record<string, string>>) =>
  run([...ENTRYPOINT, ...words.split(' ')], variables);
const listen = (variables?: Readonly<Record<string, string>>) =>
  run([...ENTRYPOINT, ...execForm(inImage('CMD')[0]), '--port', '0'], variables);
const isHealthy = async () => (await ended(run(execForm(inImage('HEALTHCHECK')[0])))).code === 0;

function kill({ pid, exitCode }: ReturnType<typeof startCommand>, signal: NodeJS.Signals): void {
  if (exitCode !== null) return;
  try {
    process.kill(firstProcess(pid), signal);
  } catch {
    // It has ended meanwhile.
  }
}

test('commands need no home, no user and no place to write to', async () => {
  expect(await ended(steproll('--version'))).toMatchObject({ code: 0, stderr: '' });
  const list = `agent runtime endpoint list shop -o id --endpoint-url ${service.url}`;
  const { code, stdout } = await ended(steproll(list));
  expect({ code, ids: stdout.trim().split('\n').length }).toEqual({ code: 0, ids: 2 });
});

test('a listener is healthy while it listens, rolls what is published beside it, and SIGTERM ends it: exit 0', async () => {
  const before = globSync('{opt,etc}/**', { cwd: image });
  expect(await isHealthy()).toBe(false);
  // The second one finds the volume of the first.
  for (const version of [2, 3]) {
    const child = listen();
    const output = ended(child);
    await saw(child, 'Listening at');
    expect(await isHealthy()).toBe(true);
    const publish = `release publish shop --version ${version} --wait`;
    expect(await ended(steproll(publish))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Succeeded'),
    });
    kill(child, 'SIGTERM');
    expect(await output).toMatchObject({ code: 0 });
    expect(await isHealthy()).toBe(false);
  }
  expect(readdirSync(VOLUME)).toEqual(['state']);
  expect(statSync(join(VOLUME, 'state')).mode & 0o077).toBe(0);
  expect(globSync('{opt,etc}/**', { cwd: image })).toEqual(before);
});

test('a command that only waits for an answer ends on SIGTERM, also as process 1', async () => {
  const hanging = createServer();
  const asked = new Promise((resolve) => hanging.once('request', resolve));
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
  const { port } = hanging.address() as AddressInfo;
  const child = steproll(
    `agent runtime endpoint list shop --endpoint-url http://127.0.0.1:${port}`,
  );
  const output = ended(child);
  await asked;
  kill(child, 'SIGTERM');
  const { code } = await output;
  // Process 1 has to end itself, and any other one is ended.
  expect([143, null]).toContain(code);
  hanging.closeAllConnections();
  hanging.close();
});

describe('a volume as orchestrators make it', () => {
  test.each([0o777, 0o2777, 0o1777])(
    'with mode %o is no state directory: exit 2, and what is said then helps',
    async (mode) => {
      makeVolume(mode);
      const { code, stderr } = await ended(listen({ STEPROLL_STATE_DIR: VOLUME }));
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining(`${VOLUME} may be written to by others (mode `),
      });
      const [, folder = ''] = /STEPROLL_STATE_DIR=(\S+)/.exec(stderr) ?? [];
      const child = listen({ STEPROLL_STATE_DIR: folder });
      const output = ended(child);
      await saw(child, 'Listening at');
      kill(child, 'SIGTERM');
      expect(await output).toMatchObject({ code: 0 });
      expect(statSync(folder).mode & 0o077).toBe(0);
    },
  );

  test('with fsGroup works as it is', async () => {
    makeVolume(0o2775);
    // Only root can give the volume to the group of the container; for others it is theirs already.
    if (process.getuid?.() === 0) chownSync(VOLUME, 0, 54_321);
    const child = listen();
    const output = ended(child);
    await saw(child, 'Listening at');
    kill(child, 'SIGTERM');
    expect(await output).toMatchObject({ code: 0 });
  });
});
