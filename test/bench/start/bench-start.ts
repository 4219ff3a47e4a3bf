import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesLoadedBy } from '../../cli/loaded-files.ts';
import { interleave, medianRatio } from '../interleave.ts';
import { startServer } from '../sweep/start-server.ts';

const ROUNDS = 21;
const PAGE = 10;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The command line as it is published, and as it runs in a checkout. */
const PROGRAMS = { package: 'dist/bin/steproll.cjs', checkout: 'bin/steproll.ts' };

/** How much it takes to start the command line, beside Node.js that does nothing and beside other command lines. */
export async function benchStart(): Promise<readonly string[]> {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT });
  const folder = await mkdtemp(join(tmpdir(), 'steproll-start-'));
  const server = await startServer(PAGE, PAGE);
  const fleet = await serveFleet(folder);
  try {
    const empty = join(folder, 'empty.cjs');
    await writeFile(empty, '');
    const asked: Readonly<Record<string, readonly string[]>> = {
      '--version': ['--version'],
      '--help': ['--help'],
      'rollout start --help': ['rollout', 'start', '--help'],
      'completion bash': ['completion', 'bash'],
      'an unknown command': ['rollout', 'strat'],
      'an unknown option': ['rollout', 'start', '--zzz'],
      'a page of 10 endpoints': [
        ...['agent', 'runtime', 'endpoint', 'list', 'shop', '--endpoint-url', server.url],
      ],
      'rollout start': [
        ...['rollout', 'start', 'shop', '--version', '1', '--yes', '--endpoint-url', fleet.url],
      ],
    };
    const commands = new Map<string, readonly string[]>([[NOTHING, ['node', empty]]]);
    for (const [place, file] of Object.entries(PROGRAMS)) {
      for (const [what, args] of Object.entries(asked)) {
        commands.set(`${place} ${what}`, ['node', join(ROOT, file), ...args]);
      }
    }
    for (const [name, command] of OTHERS) if (isThere(command)) commands.set(name, command);
    const times = await interleave(
      [...commands.keys()],
      // The first round fills the compile cache.
      { rounds: ROUNDS, warmUpRounds: 1 },
      async (name) => secondsOf(commands.get(name) ?? [], folder),
    );
    const counts = await countFiles(asked, folder);
    const ratio = (name: string) => medianRatio(times, name, NOTHING).toFixed(2).padStart(10);
    return [
      'A start of the command line: CPU time of the whole process as a ratio to that of Node.js with',
      `an empty file in the same round; the median of ${ROUNDS} rounds. Files: how many it loads in a checkout, those`,
      'of packages too.',
      '',
      `${''.padEnd(24)}${Object.keys(PROGRAMS)
        .map((place) => place.padStart(10))
        .join('')}${'files'.padStart(10)}`,
      ...Object.keys(asked).map(
        (what) =>
          what.padEnd(24) +
          Object.keys(PROGRAMS)
            .map((place) => ratio(`${place} ${what}`))
            .join('') +
          String(counts.get(what)).padStart(10),
      ),
      ...OTHERS.filter(([name]) => commands.has(name)).map(
        ([name]) => name.padEnd(24) + ratio(name),
      ),
    ];
  } finally {
    server.stop();
    fleet.stop();
    await rm(folder, { recursive: true });
  }
}

/** Ten endpoints at version 1, so that a start has nothing to wait for. */
async function serveFleet(folder: string) {
  const scenario = join(folder, 'fleet.json');
  await writeFile(
    scenario,
    JSON.stringify({ runtimes: [{ id: 'shop', version: 1, endpoints: PAGE }] }),
  );
  const command = [join(ROOT, PROGRAMS.checkout), 'serve', '--port', '0', '--scenario', scenario];
  const child = spawn('node', command, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(child.stdout, 'data');
  return { url: String(line).trim(), stop: () => child.kill() };
}

async function countFiles(asked: Readonly<Record<string, readonly string[]>>, home: string) {
  const counts = new Map<string, number>();
  for (const [what, args] of Object.entries(asked)) {
    counts.set(what, (await filesLoadedBy(args, home)).files.length);
  }
  return counts;
}

const NOTHING = 'nothing';

/** Command lines of others that are here: as a dependency, or because somebody has installed them. */
const OTHERS: readonly (readonly [name: string, command: readonly string[]])[] = [
  ['cdk --version', [join(ROOT, 'node_modules/.bin/cdk'), '--version']],
  ['aws --version', ['aws', '--version']],
  ['gh --version', ['gh', '--version']],
];

function isThere(command: readonly string[]): boolean {
  return run(command, {}).status === 0;
}

/** Seconds of CPU time of a command and of all that it starts. The clock would count what else a machine does. */
function secondsOf(command: readonly string[], home: string): number {
  const { stdout } = run(command, { HOME: home });
  const [, children = ''] = stdout.trim().split('\n').slice(-2);
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}

/** The shell's `times` tells the times of itself and of what it has started, in two lines. */
function run(command: readonly string[], environment: Readonly<Record<string, string>>) {
  const script = '"$@" >/dev/null 2>&1; code=$?; times; exit "$code"';
  return spawnSync('bash', ['-c', script, 'bash', ...command], {
    env: { PATH: process.env.PATH, ...environment },
    encoding: 'utf8',
  });
}
