import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { devNull } from 'node:os';
import { delimiter, join } from 'node:path';
import { type CheckAnswer, readExitCode } from '../../gates/check-answer.ts';
import type { SentQuestion } from '../../gates/checks.ts';
import { silent } from '../../gates/gate.ts';
import { codeOf } from '../http/classify-exchange.ts';
import { startWithoutSecrets } from '../http/known-secrets.ts';

/** So much is kept of the last line, which is the message: its start. */
const KEPT_CHARACTERS = 65_536;
/** So much of it is looked at, which is far more than people are told. */
const TOLD_CHARACTERS = 4_096;

/** The rest of the output comes at once, unless somebody who has left the group holds its other end. */
const LONGEST_REST_MS = 1_000;

/** What a program may know of the environment. Everything else may be a secret. */
const PASSED_ON = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];

/**
 * Runs a command once, without a shell and in a process group of its own, which is killed at the end of its time, when the
 * program itself has ended, and when this process is gone. The question is in its standard input. Never throws.
 *
 * @param environment @default process.env
 * @param signal Kills the group early. @default - nobody does
 */
export function runCommand(
  [program = '', ...args]: readonly string[],
  { timeoutSeconds, ...question }: SentQuestion & { readonly timeoutSeconds: number },
  environment: Readonly<Record<string, string | undefined>> = process.env,
  signal?: AbortSignal,
): Promise<CheckAnswer> {
  return new Promise((resolve) => {
    const full = whyNoRoom();
    if (full !== null) return resolve(notRun(full));
    const watchdog = startWatchdog();
    if (watchdog.pid === undefined) {
      return void watchdog.once('error', (error) => resolve(notRun(error)));
    }
    const child = spawn(program, args, {
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...passedOn(environment), ...told(question) },
    });
    let said = '';
    let isLate = false;
    let timer = setTimeout(() => {
      isLate = true;
      kill(child);
    }, timeoutSeconds * 1_000);
    const giveUp = () => kill(child);
    const end = (answer: CheckAnswer) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      forget(child);
      watchdog.kill('SIGKILL');
      // Whoever has left the group may still hold the other end. A program that never ran may have no streams.
      child.stdout?.destroy();
      resolve(answer);
    };
    child.once('error', (error) => end(notRun(error)));
    // The error follows. What the machine has no room for has no streams either.
    if (child.pid === undefined) return;
    watchdog.stdin.write(`${child.pid}\n`);
    remember(child);
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted) giveUp();
    // A program need not read what it is asked.
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(question));
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text: string) => {
      said = lastLineOf(said + text);
    });
    child.once('exit', (code, signal) => {
      kill(child);
      if (isLate) return end(silent(`no end in ${timeoutSeconds} s`));
      if (code === null) return end(silent(`ended by ${signal}`));
      // What was written before the end may not be read yet.
      const read = () => end(readExitCode(code, messageIn(said)));
      clearTimeout(timer);
      timer = setTimeout(read, LONGEST_REST_MS);
      child.once('close', read);
    });
  });
}

/** Of the output so far: the start of the last line that is not blank, with whatever is blank behind it. */
function lastLineOf(said: string): string {
  const full = said.trimEnd();
  const line = full.slice(full.lastIndexOf('\n') + 1);
  const blank = said.slice(full.length);
  return blank.includes('\n')
    ? `${line.slice(0, KEPT_CHARACTERS)}\n`
    : (line + blank).slice(0, KEPT_CHARACTERS);
}

function messageIn(line: string): string {
  return startWithoutSecrets(line.trimEnd(), TOLD_CHARACTERS, line.length >= KEPT_CHARACTERS);
}

/** So many files are open for a moment while two programs are started. */
const NEEDED_FILES = 16;

/**
 * The error of a machine that has no room for the pipes of a program; `null`: there is room. A start that fails half-way
 * leaves some of them open for ever, and each of them would make the next start more difficult.
 */
function whyNoRoom(): unknown {
  const files: number[] = [];
  try {
    for (let count = 0; count < NEEDED_FILES; count += 1) files.push(openSync(devNull, 'r'));
    return null;
  } catch (error) {
    return error;
  } finally {
    for (const file of files) closeSync(file);
  }
}

function notRun(error: unknown): CheckAnswer {
  return silent(`not run: ${codeOf(error)}`);
}

/**
 * Waits for the end of this process, which closes its standard input even after SIGKILL, and kills the process group whose
 * number it has read there.
 */
const WATCHDOG = 'read -r group && { read -r nothing; kill -s KILL -- "-$group"; }';

function startWatchdog() {
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  });
  watchdog.on('error', () => undefined);
  watchdog.stdin?.on('error', () => undefined);
  return watchdog;
}

/** Where programs are looked for without a `PATH`. */
const USUAL_PATH = ['/usr/bin', '/bin'].join(delimiter);

/**
 * Whether a command could be run: a path, or the name of a program in `PATH`, as when it is run. `undefined`: nobody can
 * tell, because the machine has no room to look.
 */
export async function hasProgram(
  program: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<boolean | undefined> {
  const folders = program.includes('/') ? [''] : (environment.PATH ?? USUAL_PATH).split(delimiter);
  const found = await Promise.all(
    folders.map((folder) => isProgram(join(folder, program)).catch(isMissing)),
  );
  return found.includes(true) || (found.includes(undefined) ? undefined : false);
}

function isMissing(error: unknown): false | undefined {
  return ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'].includes(codeOf(error)) ? undefined : false;
}

async function isProgram(path: string): Promise<boolean> {
  await access(path, constants.X_OK);
  return (await stat(path)).isFile();
}

function passedOn(environment: Readonly<Record<string, string | undefined>>) {
  return Object.fromEntries(PASSED_ON.map((name) => [name, environment[name]]));
}

/** For scripts that need no more. */
function told(question: SentQuestion): Readonly<Record<string, string>> {
  return {
    STEPROLL_ATTEMPT_ID: question.attemptId,
    STEPROLL_ATTEMPT: `${question.attempt}`,
    STEPROLL_CHECK: question.check,
    STEPROLL_WHEN: question.when,
    STEPROLL_ROLLOUT_ID: question.rolloutId,
    STEPROLL_RUNTIME_ID: question.runtimeId,
    STEPROLL_DESIRED_VERSION: `${question.desiredVersion}`,
    STEPROLL_WAVE: `${question.wave}`,
    STEPROLL_DEADLINE: question.deadline,
    STEPROLL_SESSION_ID: question.sessionId,
  };
}

/** Ends a program and all that it has started, unless that has left the group. */
function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}

/** A group of its own gets no Ctrl-C, so what runs is ended with this process. */
const running = new Set<ChildProcess>();

function remember(child: ChildProcess): void {
  if (running.size === 0) process.on('exit', killAll);
  running.add(child);
}

function forget(child: ChildProcess): void {
  running.delete(child);
  if (running.size === 0) process.off('exit', killAll);
}

function killAll(): void {
  for (const child of running) kill(child);
}
