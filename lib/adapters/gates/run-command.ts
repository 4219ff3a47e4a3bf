import { type ChildProcess, spawn } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type CheckAnswer, readExitCode } from '../../gates/check-answer.ts';
import type { CheckQuestion } from '../../gates/checks.ts';
import { silent } from '../../gates/gate.ts';
import { codeOf } from '../http/classify-exchange.ts';

/** So much of the output is kept: its end, because the last line is the message. */
const KEPT_CHARACTERS = 4_096;

/** The rest of the output comes at once, unless somebody who has left the group holds its other end. */
const LONGEST_REST_MS = 1_000;

/** What a program may know of the environment. Everything else may be a secret. */
const PASSED_ON = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];

/**
 * Runs a command once, without a shell and in a process group of its own, which is killed at the end of its time, and when
 * the program itself has ended. The question is in its standard input.
 *
 * @param environment @default process.env
 */
export function runCommand(
  [program = '', ...args]: readonly string[],
  { timeoutSeconds, ...question }: CheckQuestion & { readonly timeoutSeconds: number },
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<CheckAnswer> {
  return new Promise((resolve) => {
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
    const end = (answer: CheckAnswer) => {
      clearTimeout(timer);
      forget(child);
      // Whoever has left the group may still hold the other end.
      child.stdout.destroy();
      resolve(answer);
    };
    remember(child);
    // A program need not read what it is asked.
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(question));
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text: string) => {
      said = (said + text).slice(-KEPT_CHARACTERS);
    });
    child.once('error', (error) => end(silent(`not run: ${codeOf(error)}`)));
    child.once('exit', (code, signal) => {
      kill(child);
      if (isLate) return end(silent(`no end in ${timeoutSeconds} s`));
      if (code === null) return end(silent(`ended by ${signal}`));
      // What was written before the end may not be read yet.
      const read = () => end(readExitCode(code, said));
      clearTimeout(timer);
      timer = setTimeout(read, LONGEST_REST_MS);
      child.once('close', read);
    });
  });
}

/** Where programs are looked for without a `PATH`. */
const USUAL_PATH = ['/usr/bin', '/bin'].join(delimiter);

/** Whether a command could be run: a path, or the name of a program in `PATH`, as when it is run. */
export async function hasProgram(
  program: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<boolean> {
  const folders = program.includes('/') ? [''] : (environment.PATH ?? USUAL_PATH).split(delimiter);
  const found = await Promise.all(
    folders.map((folder) => isProgram(join(folder, program)).catch(() => false)),
  );
  return found.includes(true);
}

async function isProgram(path: string): Promise<boolean> {
  await access(path, constants.X_OK);
  return (await stat(path)).isFile();
}

function passedOn(environment: Readonly<Record<string, string | undefined>>) {
  return Object.fromEntries(PASSED_ON.map((name) => [name, environment[name]]));
}

/** For scripts that need no more. */
function told(question: CheckQuestion): Readonly<Record<string, string>> {
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
