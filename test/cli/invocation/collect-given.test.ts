import { describe, expect, test } from '@jest/globals';
import { Command, Option } from 'commander';
import { collectGiven, GLOBAL_GROUP } from '../../../lib/cli/invocation/command-line.ts';

const command = new Command('start')
  .argument('[id]')
  .option('--waves <sizes>')
  .option('--name <name>')
  .addOption(new Option('-o, --output <form>').helpGroup(GLOBAL_GROUP))
  .option('--yes')
  .option('-d, --debug');

const collect = (line: string) => collectGiven(command, line === '' ? [] : line.split(' '));

describe('what was typed', () => {
  test.each([
    ['', { id: undefined }],
    ['shop', { id: 'shop' }],
    ['--yes shop --waves 1,2', { id: 'shop', '--yes': true, '--waves': '1,2' }],
    ['shop -o json', { id: 'shop', '--output': 'json' }],
    ['shop -ojson', { id: 'shop', '--output': 'json' }],
    ['shop -do json', { id: 'shop', '--debug': true, '--output': 'json' }],
    ['shop --output=json', { id: 'shop', '--output': 'json' }],
    ['shop -o json -o id', { id: 'shop', '--output': 'id' }],
    ['shop --name x --name x --yes --yes', { id: 'shop', '--name': 'x', '--yes': true }],
    ['shop --name=--debug', { id: 'shop', '--name': '--debug' }],
    ['shop --name -1', { id: 'shop', '--name': '-1' }],
    ['--yes -- --shop', { id: '--shop', '--yes': true }],
  ])('%j', (line, given) => {
    expect(collect(line)).toEqual({ given, mistakes: [] });
  });

  test.each([
    ['shop --wavse 1', ['--wavse: unknown option (did you mean --waves?)']],
    ['shop --xyz', ['--xyz: unknown option']],
    ['shop -x', ['-x: unknown option']],
    [
      'shop --wavse=1 two',
      ['--wavse: unknown option (did you mean --waves?)', '"two": too many arguments'],
    ],
    ['shop --waves', ['--waves: the value is missing']],
    ['shop --name --debug', ['--name: the value is missing']],
    ['shop -o --yes', ['--output: the value is missing']],
    ['shop --waves -- x', ['--waves: the value is missing', '"x": too many arguments']],
    ['shop --name x --name=y', ['--name: given twice, "x" and "y"; give it once']],
    ['shop --yes=no', ['--yes: it takes no value']],
    ['shop two three', ['"two": too many arguments', '"three": too many arguments']],
  ])('%j is reported', (line, mistakes) => {
    expect(collect(line).mistakes).toEqual(mistakes);
  });

  test('what follows an unknown option is taken for its value where that was probably meant', () => {
    expect(collect('--wavse 1 shop').given).toMatchObject({ id: 'shop' });
    expect(collect('--xyz shop').given).toMatchObject({ id: 'shop' });
    expect(collect('--dbug shop').given).toMatchObject({ id: 'shop' });
    expect(collect('shop --xyz 1').mistakes).toEqual(['--xyz: unknown option']);
  });

  test('after a mistake everything else is still read', () => {
    expect(collect('--wavse 5 shop --xyz --waves 1 two -o')).toEqual({
      given: { id: 'shop', '--waves': '1' },
      mistakes: [
        '--output: the value is missing',
        '--wavse: unknown option (did you mean --waves?)',
        '--xyz: unknown option',
        '"two": too many arguments',
      ],
    });
  });

  test('E06: an option named like a prototype is only an unknown option', () => {
    expect(collect('shop --__proto__=x').mistakes).toEqual(['--__proto__: unknown option']);
  });
});
