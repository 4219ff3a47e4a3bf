import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { pathSeenFrom } from '../../../lib/adapters/machine/files.ts';
import { readProfileFile } from '../../../lib/adapters/machine/profile-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'steproll-profiles-'));
const file = join(folder, 'profiles');
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string) {
  writeFileSync(file, text);
  return Object.fromEntries(readProfileFile(file));
}

describe('the profiles file', () => {
  test('has a section for each profile, with or without the word profile', () => {
    expect(
      read(
        '; ours\n[default]\nregion = eu-1\n\n[profile prod]\nendpoint_url = https://a.example\n',
      ),
    ).toEqual({ default: { region: 'eu-1' }, prod: { endpoint_url: 'https://a.example' } });
  });

  test('takes Windows line ends, quotes and dots in names', () => {
    expect(read('[prod.eu]\r\nregion = "eu-1"\r\n')).toEqual({ 'prod.eu': { region: 'eu-1' } });
  });

  test('that is not there has no profiles', () => {
    expect(readProfileFile(join(folder, 'nobody')).size).toBe(0);
  });

  test('that cannot be read is bad input', () => {
    expect(() => readProfileFile(folder)).toThrow(
      expect.objectContaining({ name: 'InvalidInput' }),
    );
  });

  test.each([
    ['[a]\nregion = x\n\n# region = z\nregion=y\n', '[a], region', 2, 5],
    ['[a]\r\nregion = x\r\n[b]\r\nregion = x\r\n[profile a]\r\n', '[a]', 1, 5],
  ])('has nothing twice: %j', (text, place, first, second) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        name: 'InvalidInput',
        message: `${file}, ${place}: given twice, in lines ${first} and ${second}; keep one of them`,
      }),
    );
  });

  test('has nothing outside of sections', () => {
    expect(() => read('region = eu-1\n[default]\n')).toThrow(/region: put it under/);
  });

  test('E06: names of prototypes are nothing special', () => {
    read('[__proto__]\nregion = a\n[constructor]\nregion = b\n[x]\n__proto__ = c\n');
    const sections = readProfileFile(file);
    expect([...sections.keys()]).toEqual(['constructor', 'x']);
    expect(sections.get('constructor')).toEqual({ region: 'b' });
    expect(sections.get('toString')).toBeUndefined();
    expect(({} as Record<string, unknown>).region).toBeUndefined();
  });

  test('paths in it are seen from its folder, or from home', () => {
    expect(pathSeenFrom('/etc/x/profiles', 'token')).toBe('/etc/x/token');
    expect(pathSeenFrom('/etc/x/profiles', '/run/token')).toBe('/run/token');
    expect(pathSeenFrom('/etc/x/profiles', '~/token')).toBe(join(homedir(), 'token'));
  });
});
