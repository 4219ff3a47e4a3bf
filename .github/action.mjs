// What action.yml runs: one command of steproll. It tells GitHub Actions the rollout, its outcome and its story.

import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

const NEEDED = 24;
const BAD_INPUT = 2;
/** GitHub takes 1 MiB a step, and shows nothing of a longer summary. */
const MOST_CHARACTERS = 300_000;

const { env } = process;
const { INPUT_COMMAND: command = '', INPUT_STEPROLL: named = '' } = env;

const COMMANDS = {
  plan: ['rollout', 'plan', '--output=table'],
  start: ['rollout', 'start', '--yes', '--watch', '--output=json'],
  publish: ['release', 'publish', '--wait', '--output=json'],
};

/** A file that is written to is one that Actions reads when the step has ended. */
const setOutput = (name, value) => appendFileSync(env.GITHUB_OUTPUT, `${name}=${value}\n`);
/** Text that is indented is shown as it is, whatever is in it. */
const tell = (title, text) => {
  const indented = text.trimEnd().slice(0, MOST_CHARACTERS).replaceAll(/^/gm, '    ');
  appendFileSync(env.GITHUB_STEP_SUMMARY, `### ${title}\n\n${indented}\n\n`);
};

class Mistake extends Error {}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof Mistake)) throw error;
  process.stderr.write(`${error.message}\n`);
  tell(`steproll: exit code ${BAD_INPUT}`, error.message);
  process.exitCode = BAD_INPUT;
}

async function main() {
  if (Number.parseInt(process.versions.node, 10) < NEEDED) {
    throw new Mistake(
      `steproll needs Node.js ${NEEDED}, and this is ${process.version}: use actions/setup-node before.`,
    );
  }
  if (!Object.hasOwn(COMMANDS, command)) {
    throw new Mistake('command: use plan, start or publish');
  }
  const program = findProgram();
  const { code, stdout, stderr, rolloutId } = await run([...program, ...wordsOf()]);
  const outcome = outcomeIn(stdout);
  if (outcome !== '') {
    setOutput('outcome', outcome);
  } else {
    const isPlan = command === 'plan' && code === 0;
    tell(`steproll ${command}: exit code ${code}`, isPlan ? stdout : lastOf(stderr));
  }
  // A cancelled job has few seconds left, and the story may take longer, so it comes last.
  if (rolloutId !== '') {
    tell(`Rollout ${[rolloutId, outcome].join(' ').trim()}`, storyOf(program, rolloutId));
  }
  return code;
}

/** The command and its arguments. Settings and the token are in the environment, where the command reads them. */
function wordsOf() {
  const { INPUT_RUNTIME_ID: id, INPUT_GROUP: group, INPUT_VERSION: version } = env;
  const { INPUT_REASON: reason } = env;
  const options = (env.INPUT_OPTIONS ?? '').split('\n').map((line) => line.trim());
  return [
    ...COMMANDS[command],
    ...(version ? [`--version=${version}`] : []),
    ...(reason ? [`--reason=${reason}`] : []),
    ...(group ? [`--group=${group}`] : []),
    ...options.filter((line) => line !== ''),
    // What comes behind is no option, whatever it looks like.
    ...(id ? ['--', id] : []),
  ];
}

/** The first words of every command. What is missing is installed, without the scripts of packages. */
function findProgram() {
  const path = named || env.GITHUB_ACTION_PATH;
  if (!existsSync(path)) throw new Mistake(`steproll: there is no ${path}`);
  if (path.endsWith('.tgz')) {
    const place = join(env.RUNNER_TEMP, 'steproll');
    npm(['install', '--prefix', place, path]);
    return [join(place, 'node_modules', '.bin', 'steproll')];
  }
  if (!statSync(path).isDirectory()) return [path];
  if (!existsSync(join(path, 'node_modules'))) npm(['ci', '--omit=dev', '--prefix', path]);
  return [process.execPath, join(path, 'bin', 'steproll.ts')];
}

function npm(words) {
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', [...words, ...quietly], { stdio: 'inherit' });
  if (status !== 0) throw new Mistake(`steproll: npm ${words.join(' ')} ended with ${status}`);
}

/** Runs a command to its end, shows what it says, and passes the first signal on to it. */
function run([file, ...words]) {
  const child = spawn(file, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '', rolloutId: '' };
  let isCancelled = false;
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      // A second signal would end the command before it has said how to come back.
      if (!isCancelled) child.kill(signal);
      isCancelled = true;
    });
  }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
    if (command === 'plan') process.stdout.write(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
    process.stderr.write(text);
    if (output.rolloutId !== '') return;
    output.rolloutId = /^Rollout ([\w:.-]+)\n/m.exec(output.stderr)?.[1] ?? '';
    if (output.rolloutId !== '') setOutput('rollout-id', output.rolloutId);
  });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Mistake(`steproll: ${error.message}`)));
    child.once('close', (code, signal) =>
      resolve({ ...output, code: code ?? 128 + constants.signals[signal] }),
    );
  });
}

/** `''`: there is no result. */
function outcomeIn(stdout) {
  try {
    const { outcome } = JSON.parse(stdout);
    return /^\w+$/.test(outcome) ? outcome : '';
  } catch {
    return '';
  }
}

function storyOf([file, ...words], rolloutId) {
  const show = [...words, 'rollout', 'show', rolloutId, '--output=table'];
  const { stdout, stderr } = spawnSync(file, show, { encoding: 'utf8' });
  return stdout || stderr;
}

function lastOf(text) {
  return text.trimEnd().split('\n').slice(-12).join('\n');
}
