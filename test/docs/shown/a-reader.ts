import { randomInt } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closed, ended, saw, startCommand } from '../../cli/program-process.ts';
import type { Step } from './read-steps.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/steproll.ts', import.meta.url));

/** Ports of the pages. Several readers are at work at once, so each has free ones in their place. */
const PORT = /\b80[89]\d\b/g;

/**
 * Does what a page shows, in a folder that is a home of its own too, with `steproll` on the path. In the place of a
 * bare `ID` comes that of the newest rollout, or, after `hold lift`, of the newest hold.
 *
 * @throws an error with the block and what it wrote, for the first block that does not end with 0
 */
export async function follow(steps: readonly Step[]): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'steproll-reader-'));
  const program = join(home, 'steproll');
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
  await chmod(program, 0o755);
  const ports = new Map<string, string>();
  const running: ReturnType<typeof startCommand>[] = [];
  let exports = '';
  const start = (script: string) =>
    startCommand(
      home,
      ['bash', '-ec', `${exports}${script}`],
      { PATH: `${home}:${process.env.PATH}` },
      home,
    );
  const run = async (script: string) => {
    const { code, stdout, stderr } = await ended(start(script));
    if (code !== 0) throw new Error(`${script}ended with ${code}:\n${stderr}\n${stdout}`);
  };
  try {
    for (const step of steps) {
      if (step.kind === 'not-run') continue;
      const shown = await withPorts(step.kind === 'file' ? step.text : step.script, ports);
      if (step.kind === 'file') {
        await writeFile(join(home, step.name), shown);
        continue;
      }
      const script = withIds(shown);
      if (step.kind === 'run') {
        await run(script);
        exports += script.replaceAll(/^(?!export ).*\n/gm, '');
      } else {
        const child = start(`exec ${script}`);
        running.push(child);
        await saw(child, step.until);
      }
    }
  } finally {
    for (const child of running) child.kill();
    await Promise.all(running.map(closed));
    await rm(home, { recursive: true });
  }
}

/** Each `ID` as the command that finds it once its line is run: a line may start what the next one names. */
function withIds(script: string): string {
  return script.replaceAll(/^.*\bID\b.*$/gm, (line) => {
    const list = line.includes('hold lift') ? 'hold list' : 'rollout list';
    return line.replaceAll(/\bID\b/g, `"$(steproll ${list} -o id | head -n 1)"`);
  });
}

/** Whoever is told no port takes its own. */
const OWN_PORTS: Readonly<Record<string, string>> = { listen: '8090', serve: '8080' };

async function withPorts(shown: string, ports: Map<string, string>): Promise<string> {
  const text = shown.replaceAll(
    /^steproll (listen|serve)(?!.*--port).*$/gm,
    (line, command) => `${line} --port ${OWN_PORTS[command]}`,
  );
  for (const [port] of text.matchAll(PORT)) if (!ports.has(port)) ports.set(port, await freePort());
  return text.replaceAll(PORT, (port) => ports.get(port) ?? port);
}

/** Below those that the system gives to connections, so that nobody takes it before it is listened on. */
async function freePort(): Promise<string> {
  const port = randomInt(10_000, 32_000);
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
  return isFree ? `${port}` : freePort();
}
