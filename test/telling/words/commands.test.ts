import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { chooseCommand, collectGiven } from '../../../lib/cli/invocation/command-line.ts';
import { createProgram } from '../../../lib/commands/program.ts';
import { HOLD_EVENTS, LIFECYCLE_EVENTS } from '../../../lib/contract/event.ts';
import { commandOf } from '../../../lib/domain/command.ts';
import { ErrorName } from '../../../lib/domain/errors.ts';
import { toCreate } from '../../../lib/domain/planning/create-one.ts';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { nextSteps } from '../../../lib/telling/messages/next-steps.ts';
import { storyOf } from '../../../lib/telling/story/story.ts';
import { hintsFor, stepsAfter } from '../../../lib/telling/words/errors.ts';
import { presentOf } from '../../../lib/telling/words/view.ts';
import { planOf, progressOf, recordOf, seen, waitFor } from '../../domain/examples.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const ENGINES = ['', " --engine aws --stack 'Prod eu'"];
const ODD = "it's $HOME; rm -rf *";

const about = { rolloutId: 'rollout-1', runtimeId: 'shop', version: 3, config: 'my file.json' };
const eventOf = (detailType: string) => ({
  detailType,
  detail: { rolloutId: 'rollout-1', holdId: 'h1', wave: 1 },
});
const held: RolloutRecord = {
  ...recordOf(),
  plan: planOf([1]),
  progress: progressOf(0, [seen('converged', 2)]),
  wait: waitFor('pause', { lookAt: 5_000 }),
  lines: [
    {
      ...{ kind: 'held', at: 0 },
      holds: [{ id: 'h1', kind: 'pause', scope: {}, by: 'ann', reason: '', until: 1 }],
    },
  ],
};

/** The commands within texts: between quotes or backquotes, or to the end of a line. */
function commandsIn(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const quoted = [...text.matchAll(/"(steproll [^"]+)"/g)].map(([, command = '']) => command);
    return text.startsWith('steproll ') ? [text] : quoted;
  });
}

/** Whatever the code can print of an engine. */
function printedFor(engine: string): string[] {
  const steps = [...Object.values(LIFECYCLE_EVENTS), ...Object.values(HOLD_EVENTS)].flatMap(
    ({ detailType }) => nextSteps(eventOf(detailType), engine).map(({ command }) => command),
  );
  const hints = Object.values(ErrorName).flatMap((name) => hintsFor(name, { ...about, engine }));
  const ends = (['Failed', 'Errored', 'Aborted'] as const).flatMap((outcome) =>
    ['Stalled', ...Object.values(ErrorName)].flatMap((reason) => {
      const end = { outcome, reason, cleanup: 'none', message: '' } as const;
      return stepsAfter({ ...recordOf(), outcome: end, endedAt: 1 }, engine);
    }),
  );
  const wants = [
    presentOf(storyOf(held, 1_000), engine),
    presentOf(storyOf(held, 1_000, true), engine),
    presentOf(storyOf(held, 3_600_000), engine),
  ].flatMap((present) => present.wants.flatMap(({ commands }) => commands));
  return commandsIn([
    ...steps,
    ...hints,
    ...ends.flatMap(({ command }) => command ?? []),
    ...wants,
    toCreate('one', 'shop'),
  ]);
}

/** The words that a shell makes of it. */
function wordsOf(command: string): string[] {
  const script = 'for word in "$@"; do printf "%s\\0" "$word"; done';
  const shell = command.replace(/^steproll /, `set -- `);
  return execFileSync('sh', ['-c', `${shell}\n${script}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
}

/** What the command line does not understand of it. */
function mistakesIn(command: string): unknown {
  const { program, runnables } = createProgram('0');
  const chosen = chooseCommand(program, wordsOf(command));
  const runs = runnables.some(([one]) => one === chosen.command);
  if (chosen.unknown !== undefined || !runs) return `unknown: ${chosen.unknown}`;
  try {
    collectGiven(chosen.command, chosen.args);
    return null;
  } catch (error) {
    return error;
  }
}

describe.each(ENGINES)('every command that is printed for the engine%s', (engine) => {
  test('is understood by the command line, with the engine where it needs that', () => {
    const commands = [...new Set(printedFor(engine))];
    expect(commands.length).toBeGreaterThan(15);
    expect(commands.map((one) => [one, mistakesIn(one)]).filter(([, fault]) => fault)).toEqual([]);
    const ofLedger = commands.filter((one) => /^steproll (rollout|hold) /.test(one));
    expect(ofLedger.filter((one) => !one.endsWith(engine))).toEqual([]);
  });
});

test('a shell reads each word as it was meant', () => {
  const words = ['hold', 'lift', 'h1', '--reason', ODD];
  expect(wordsOf(commandOf(words, " --stack 'Prod eu'"))).toEqual([...words, '--stack', 'Prod eu']);
});

test('no other function makes a command with something to fill in', () => {
  const made = globSync('lib/**/*.{ts,tsx}', { cwd: ROOT }).filter((file) => {
    // Help shows examples, and what is served is about no engine.
    if (/^lib\/(commands|cli\/local)\/|\/meant\.ts$/.test(file)) return false;
    return /steproll (?:rollout|hold|release|agent|config) [^'"\n]*\$\{/.test(
      readFileSync(`${ROOT}${file}`, 'utf8'),
    );
  });
  expect(made).toEqual([]);
});
