import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { chooseCommand, collectGiven } from '../../lib/cli/invocation/command-line.ts';
import { createProgram } from '../../lib/commands/program.ts';
import { parseConfig } from '../../lib/contract/config/config.ts';
import { codeBlocks, readDoc } from './code-blocks.ts';

const TEXT = readDoc('docs/ci.md');
const [workflow, withAction, buildspec] = codeBlocks(TEXT, 'yaml').map((block) => parse(block));
const { program, runnables } = createProgram('1.0.0');

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
const steps: readonly Step[] = workflow.jobs['roll-out'].steps;

/** The arguments of each `steproll` in a script, without their quotes. */
function argumentsIn(script: string): string[][] {
  const calls = script.matchAll(/\.bin\/steproll ([^\n)]+)/g);
  return [...calls].map(([, text = '']) =>
    [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ''),
  );
}

describe('the pipelines of the docs', () => {
  const scripts = [
    ...steps.flatMap(({ run = [] }) => run),
    ...buildspec.phases.build.commands,
    ...codeBlocks(TEXT, 'sh'),
  ];

  test.each(scripts.flatMap(argumentsIn).map((args) => [args.join(' '), args] as const))(
    'call a command that there is, with options that it takes: %s',
    (_, args) => {
      const { command, args: own } = chooseCommand(program, args);
      expect(runnables.map(([one]) => one)).toContain(command);
      const { given, mistakes } = collectGiven(command, own);
      expect(mistakes).toEqual([]);
      for (const argument of command.registeredArguments) {
        expect(given).toHaveProperty(argument.name(), expect.any(String));
      }
    },
  );

  test('start, watch, abort and show in the workflow, start and watch in the buildspec', () => {
    const words = (text: string) => argumentsIn(text).map((args) => args.slice(0, 2).join(' '));
    expect(steps.flatMap(({ run = '' }) => words(run))).toEqual([
      'rollout start',
      'rollout watch',
      'rollout abort',
      'rollout show',
    ]);
    expect(buildspec.phases.build.commands.flatMap(words)).toEqual([
      'rollout start',
      'rollout watch',
    ]);
  });

  test('pin what others wrote to a commit, and put no input of anybody into a script', () => {
    const uses = steps.flatMap(({ uses = [] }) => uses);
    expect(uses).not.toHaveLength(0);
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
    expect(workflow.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  });

  test('set the environment that chooses the stack', () => {
    const environment = { STEPROLL_ENGINE: 'aws', STEPROLL_STACK: 'Steproll' };
    expect(workflow.jobs['roll-out'].env).toEqual(environment);
    expect(buildspec).toMatchObject({ version: 0.2, env: { variables: environment } });
  });
});

test('the example of the action uses inputs and outputs that it has, and puts none into a script', () => {
  const action = parse(readDoc('action.yml'));
  const [{ uses, with: inputs, id }, then] = withAction;
  expect(uses).toMatch(/^acme\/steproll@[0-9a-f]{40}$/);
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(inputs)));
  const outputs = JSON.stringify(then).matchAll(
    new RegExp(`steps\\.${id}\\.outputs\\.([\\w-]+)`, 'g'),
  );
  expect([...outputs].map(([, name]) => name).toSorted()).toEqual(
    Object.keys(action.outputs).toSorted(),
  );
  expect(then.run).not.toContain('${{');
  const words = ['rollout', 'start', ...inputs.options.trim().split('\n'), inputs['runtime-id']];
  const { command, args } = chooseCommand(program, words);
  expect(collectGiven(command, args).mistakes).toEqual([]);
  for (const name of [...Object.keys(action.inputs), ...Object.keys(action.outputs)]) {
    expect(TEXT).toMatch(new RegExp(`^\\| .*\`${name}\``, 'm'));
  }
});

test('the release source of the docs is a configuration', () => {
  const [json = ''] = codeBlocks(TEXT, 'json');
  const config = parseConfig({ endpointUrl: 'https://a.example', ...JSON.parse(json) });
  expect(config.triggers?.releases).toHaveLength(1);
});
