import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { readProfileFile } from '../../../lib/adapters/machine/profile-file.ts';
import { chooseCommand, collectGiven } from '../../../lib/cli/invocation/command-line.ts';
import { profileSchema } from '../../../lib/cli/settings/settings.ts';
import { createProgram } from '../../../lib/commands/program.ts';
import { openConfigSchema, parseConfig } from '../../../lib/contract/config/config.ts';
import { wireMappingSchema } from '../../../lib/contract/service/wire.ts';
import { codeBlocks, readDoc } from '../code-blocks.ts';
import { readUnfollowed } from './read-steps.ts';
import { BLOCKS, blocksOf, PAGES, SCRIPTS, wordsOf } from './reference-pages.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** So many blocks of commands nobody runs, because they need AWS, a container, a browser or minutes. */
const NOT_RUN = 14;

/** Pages whose commands need AWS or people: they are read by the command line, and none is run. */
const ONLY_READ = globSync('docs/*.md', { cwd: ROOT }).filter(
  (page) => !PAGES.includes(page) && page !== 'docs/cli-reference.md',
);

const { program, runnables } = createProgram('1.0.0');

/** The commands of steproll in a script, each as it stands, also behind other programs and in `$( )`. */
function commandsIn(script: string): string[] {
  const words = program.commands.map((command) => command.name()).join('|');
  const calls = new RegExp(`(?<=steproll )(?:${words}) [^\\n)]*`, 'g');
  return script.replaceAll('\\\n', ' ').match(calls) ?? [];
}

/** A line of an answer may name a command, too: only those count that begin a line. */
const MENTIONED = ONLY_READ.flatMap(blocksOf).flatMap(({ page, language, text }) =>
  language === '' || language === 'sh'
    ? (text.replaceAll('\\\n', ' ').match(/^ *steproll .*$/gm) ?? [])
        .flatMap(commandsIn)
        .map((call) => [page, call.replace(/ {2,}\S.*$/, '')])
    : [],
);

test.each([
  ...SCRIPTS.flatMap(({ page, text }) => commandsIn(text).map((call) => [page, call])),
  ...MENTIONED,
])('%s shows a command that there is, with options that it takes: %s', (_, call) => {
  const { command, args } = chooseCommand(program, wordsOf(call));
  expect(runnables.map(([one]) => one)).toContain(command);
  const { given, mistakes } = collectGiven(command, args);
  expect(mistakes).toEqual([]);
  for (const { name, choices } of optionsOf(command)) {
    if (given[name] !== undefined && choices !== undefined) {
      expect(choices).toContain(given[name]);
    }
  }
});

function optionsOf({ options }: Command) {
  return options.map(({ long, argChoices }) => ({ name: long ?? '', choices: argChoices }));
}

/** Commands within a sentence or a table. One that names a rollout or an option is there to be copied. */
const IN_TEXT = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })]
  .filter((page) => page !== 'docs/cli-reference.md')
  .flatMap((page) =>
    [
      ...readDoc(page)
        .replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
        .matchAll(/`([^`]+)`/g),
    ]
      .map(([, code = '']) => code.replaceAll(/\s+/g, ' ').replace(/^steproll /, ''))
      .filter((code) => program.commands.some((one) => code.startsWith(`${one.name()} `)))
      .filter((code) => /--|\bID\b/.test(code))
      .map((code) => [page, code] as const),
  );

test.each(IN_TEXT)('%s names a command with all that it needs: %s', (_, call) => {
  const { command, args } = chooseCommand(program, wordsOf(call));
  expect(runnables.map(([one]) => one)).toContain(command);
  const { given, mistakes } = collectGiven(command, args);
  const needed = command.options.filter(({ description }) => description.includes('(required)'));
  expect(needed.map(({ long }) => long ?? '').filter((name) => given[name] === undefined)).toEqual(
    [],
  );
  expect(mistakes).toEqual([]);
});

test('what is only shown says so, and is counted', () => {
  const left = SCRIPTS.filter(({ info }) => info !== '');
  expect(left.map(({ info }) => info)).toEqual(left.map(() => 'not-run'));
  expect(left).toHaveLength(NOT_RUN);
  for (const { page } of left) expect(readDoc(page)).toMatch(/\bnot run here\b/);
});

test('no command is shown as if it were an answer', () => {
  const answers = BLOCKS.filter(({ language }) => language === '').flatMap(({ text }) =>
    text.split('\n'),
  );
  // A list of commands has what each one does behind two spaces.
  const commands = answers.filter(
    (line) => /^(?:steproll|npm|npx|aws|docker|curl|alias) /.test(line) && !/\S {2,}\S/.test(line),
  );
  expect(commands).toEqual([]);
});

const KEYS = Object.keys(openConfigSchema.shape);

/** A page that is only read may show a part of something. */
function readJson(page: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (ONLY_READ.includes(page)) return null;
    throw error;
  }
}

const CONFIGURATIONS = [...PAGES, ...ONLY_READ].flatMap((page) =>
  codeBlocks(readUnfollowed(page), 'json')
    .map((text) => readJson(page, text))
    .filter((json): json is object => typeof json === 'object' && json !== null)
    .filter((json) => Object.keys(json).every((key) => KEYS.includes(key)))
    // The files of earlier configurations are the reader's.
    .map((json) => [page, 'retired' in json ? { ...json, retired: [{}] } : json] as const),
);

test.each(CONFIGURATIONS)('%s shows a configuration that is one: %j', (_, json) => {
  const url = 'service' in json ? {} : { endpointUrl: 'https://endpoints.example.com' };
  const whole = { ...url, runtimes: { shop: {} }, ...json };
  const isForOneMachine = /"(?:file|environment|webhooks)"/.test(JSON.stringify(json));
  const parse = isForOneMachine ? openConfigSchema.parse.bind(openConfigSchema) : parseConfig;
  expect(() => parse(whole)).not.toThrow();
});

test('the configurations were found', () => {
  expect(CONFIGURATIONS.length).toBeGreaterThan(20);
});

test('the profiles are some', () => {
  const home = mkdtempSync(join(tmpdir(), 'steproll-profiles-'));
  const [profiles = ''] = codeBlocks(readDoc('docs/cli.md'), 'ini');
  const file = join(home, 'profiles');
  writeFileSync(file, profiles);
  const read = [...readProfileFile(file).values()];
  rmSync(home, { recursive: true });
  expect(read).toHaveLength(3);
  for (const profile of read) expect(() => profileSchema.parse(profile)).not.toThrow();
});

test('the names of another service are some', () => {
  const [names = ''] = codeBlocks(readDoc('docs/services.md'), 'ts');
  const read = new Function('wireMappingSchema', names.replace('const wire =', 'return'));
  expect(read(wireMappingSchema).endpoint).toMatchObject({ id: 'endpoint_id', replicas: null });
});
