import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';

export interface Surroundings {
  readonly cwd: string;
  /** All variables that the program sees. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What somebody types at a terminal. @default - there is no terminal */
  readonly typed?: string | undefined;
}

/**
 * Stands in for the process of a program that runs in this one, beside others and beside its test. The program finds
 * its own streams, environment and folder in `process`. Only what one process does to another is missing: nobody can
 * kill it, and nothing of it is loaded anew.
 *
 * It has what tests use of a `ChildProcess`, so that a test need not know which of them it has.
 */
export class ProcessHere extends EventEmitter {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  /** What the program listens to with `process.on`. */
  readonly signals = new EventEmitter();
  readonly surroundings: Surroundings;
  /** `null` while it runs. */
  exitCode: number | null = null;
  /** Answers the exit code when it has ended. */
  readonly closing = new Promise<number>((resolve) => this.once('close', resolve));

  /** @param work Answers the exit code. */
  constructor(work: () => Promise<number>, surroundings: Surroundings) {
    super();
    this.surroundings = surroundings;
    const { typed } = surroundings;
    const isTTY = typed !== undefined;
    for (const stream of [this.stdin, this.stdout, this.stderr]) Object.assign(stream, { isTTY });
    if (isTTY) this.stdin.write(typed);
    standIn();
    const toItsEnd = async () => {
      const code = await work();
      // The CDK does its work when nothing else is left to do.
      this.signals.emit('beforeExit', code);
      return code;
    };
    underWay.run(this, toItsEnd).then(
      (code) => this.#end(code),
      (error) => this.#end(error instanceof Exit ? error.code : 1, error),
    );
  }

  /** @throws when the program does not listen to this signal, which would end a real process. */
  kill(signal: NodeJS.Signals): boolean {
    if (this.exitCode !== null) return false;
    const isHeard = underWay.run(this, () => this.signals.emit(signal, signal));
    if (!isHeard) throw new Error(`The program in this process does not listen to ${signal}.`);
    return true;
  }

  async #end(code: number, error?: unknown): Promise<void> {
    if (error !== undefined && !(error instanceof Exit)) this.stderr.write(String(error));
    const outputs = [this.stdout, this.stderr];
    const ends = outputs.map((stream) => finished(stream));
    for (const stream of outputs) {
      stream.end();
      // Like those of a real process, the streams end also when nobody reads them.
      if (stream.listenerCount('data') === 0) stream.resume();
    }
    await Promise.all(ends);
    this.exitCode = code;
    leave();
    this.emit('exit', code);
    this.emit('close', code);
  }
}

const underWay = new AsyncLocalStorage<ProcessHere>();

/** Ends the program at once, as `process.exit` does. */
class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** How many programs run. While there is one, `process` and relative paths depend on who asks. */
let count = 0;
let restore = () => {};

function standIn(): void {
  count += 1;
  if (count > 1) return;
  const restores = [
    ...(['stdin', 'stdout', 'stderr'] as const).map((name) =>
      shadow(name, (program) => program[name]),
    ),
    shadow('env', ({ surroundings }) => surroundings.env),
    shadow('cwd', (program) => () => program.surroundings.cwd),
    shadow('exit', () => (code = 0) => {
      throw new Exit(code);
    }),
    ...(['on', 'once', 'off'] as const).map((name) =>
      shadow(name, (program) => program.signals[name].bind(program.signals)),
    ),
    resolvePaths(),
  ];
  restore = () => {
    for (const one of restores) one();
  };
}

function leave(): void {
  count -= 1;
  if (count === 0) restore();
}

type Name = 'stdin' | 'stdout' | 'stderr' | 'env' | 'cwd' | 'exit' | 'on' | 'once' | 'off';

/** Lets programs find their own property in `process`, and everybody else the one that was there before. */
function shadow(name: Name, own: (program: ProcessHere) => unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name);
  const inherited = process[name];
  const get = () => {
    const program = underWay.getStore();
    if (program !== undefined) return own(program);
    return before?.get === undefined ? (before?.value ?? inherited) : before.get.call(process);
  };
  Object.defineProperty(process, name, { get, configurable: true, enumerable: true });
  return () => {
    if (before === undefined) delete (process as Partial<Record<Name, unknown>>)[name];
    else Object.defineProperty(process, name, before);
  };
}

/** Node.js asks the real process, and not `process`, where relative paths begin. */
function resolvePaths(): () => void {
  const { readFileSync, statSync } = fs;
  const inFolder = <T>(path: T): T | string => {
    const program = underWay.getStore();
    return program !== undefined && typeof path === 'string'
      ? resolve(program.surroundings.cwd, path)
      : path;
  };
  const set = (functions: Pick<typeof fs, 'readFileSync' | 'statSync'>) => {
    Object.assign(fs, functions);
    syncBuiltinESMExports();
  };
  const readHere = (...[path, options]: Parameters<typeof readFileSync>) =>
    readFileSync(inFolder(path), options);
  const lookHere = (...[path, options]: Parameters<typeof statSync>) =>
    statSync(inFolder(path), options);
  set({
    readFileSync: readHere as typeof readFileSync,
    statSync: lookHere as typeof statSync,
  });
  return () => set({ readFileSync, statSync });
}
