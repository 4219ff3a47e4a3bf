import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { engineOf } from '../../../lib/cli/engine/open-engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'steproll-engine-'));
const profiles = join(folder, 'profiles');
writeFileSync(profiles, '[prod]\nengine = aws\nstack = Prod\n');
let environment: ReturnType<typeof jest.replaceProperty<NodeJS.Process, 'env'>>;

beforeEach(() => {
  environment = jest.replaceProperty(process, 'env', { STEPROLL_PROFILES_FILE: profiles });
});
afterEach(() => environment.restore());
afterAll(() => rmSync(folder, { recursive: true }));

describe('the engine of a command line', () => {
  test.each([
    ['is this machine, where nothing is said', {}, 'embedded', 'Steproll'],
    ['is what was typed', { '--engine': 'aws', '--stack': 'Mine' }, 'aws', 'Mine'],
    ['is what the profile says', { '--profile': 'prod' }, 'aws', 'Prod'],
  ])('%s', async (_, given, engine, stack) => {
    expect(await engineOf({ given, mistakes: [] })).toEqual({
      '--engine': engine,
      '--stack': stack,
    });
  });

  test('is read where other settings are mistakes', async () => {
    const given = { '--engine': 'nowhere', '--config': 'not-there.json' };
    expect(await engineOf({ given, mistakes: [] })).toMatchObject({ '--engine': 'embedded' });
  });
});
