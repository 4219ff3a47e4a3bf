import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readConfigFile } from '../../../lib/adapters/machine/config-file.ts';
import { parseConfig } from '../../../lib/contract/config/config.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-config-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const NOW = { endpointUrl: 'https://endpoints.example.com', runtimes: { shop: {} } };
const write = (name: string, value: unknown) =>
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
const read = () => readConfigFile(join(folder, 'config.json'));

describe('a configuration names earlier ones', () => {
  test('their files are seen from its folder, and each is read as it was, with all that it has', () => {
    const earlier = {
      ...NOW,
      policies: { old: { bakeSeconds: 7 } },
      runtimes: { old: { policy: 'old' } },
      historyDays: 30,
    };
    mkdirSync(join(folder, 'before'));
    write('before/may.json', earlier);
    write('config.json', { ...NOW, retired: ['before/may.json'] });
    const { value, mistakes } = read();
    expect(mistakes).toEqual([]);
    expect(value).toEqual({ ...NOW, retired: [earlier] });
    expect(parseConfig(value).retired).toMatchObject([
      { policies: { old: { bakeSeconds: 7 } }, runtimes: { old: { policy: 'old' } } },
    ]);
  });

  test('one without any is as it is', () => {
    write('config.json', NOW);
    expect(read()).toEqual({ value: NOW, mistakes: [] });
  });

  test.each<[string, unknown, RegExp]>([
    ['is not there', 'gone.json', /^retired\[0\]: Cannot read .*gone\.json: ENOENT/],
    ['is no JSON', 'text.json', /^retired\[0\]: Cannot read .*text\.json: .*JSON/],
    ['has a key twice', 'twice.json', /^retired\[0\]: twice\.json, name: /],
    ['is no name', { runtimes: {} }, /^retired\[0\]: \{"runtimes":\{\}\}: use the name of a file/],
  ])('what %s is one mistake, which names its place', (_, name, message) => {
    write('text.json', 'no json');
    write('twice.json', '{"name": "a", "name": "b"}');
    write('config.json', { ...NOW, retired: [name] });
    const { mistakes } = read();
    expect(mistakes.map(({ text }) => text)).toEqual([expect.stringMatching(message)]);
  });

  test('a mistake in an earlier one is told with its place', () => {
    write('before.json', { ...NOW, policies: { old: { bakeSeconds: -1 } } });
    write('config.json', { ...NOW, retired: ['before.json'] });
    expect(() => parseConfig(read().value)).toThrow(/retired\[0\]\.policies\.old\.bakeSeconds: /);
  });
});
