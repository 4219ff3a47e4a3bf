import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readEnvironment } from '../../../lib/adapters/machine/environment.ts';

describe('the environment', () => {
  test('empty variables are not set', () => {
    const variables = { STEPROLL_OUTPUT: '', STEPROLL_TOKEN: '', STEPROLL_STATE_DIR: '' };
    expect(readEnvironment(variables)).toEqual({
      settings: {},
      hasToken: false,
      stateDirectory: join(homedir(), '.local', 'state', 'steproll'),
      profilesFile: join(homedir(), '.config', 'steproll', 'profiles'),
      isDumbTerminal: false,
    });
  });

  test('the token is only known to be there', () => {
    const environment = readEnvironment({ STEPROLL_TOKEN: 'canary', STEPROLL_OUTPUT: 'json' });
    expect(environment).toMatchObject({ hasToken: true, settings: { STEPROLL_OUTPUT: 'json' } });
    expect(JSON.stringify(environment)).not.toContain('canary');
  });

  test('TERM tells a terminal that cannot be drawn on', () => {
    expect(readEnvironment({ TERM: 'dumb' }).isDumbTerminal).toBe(true);
    expect(readEnvironment({ TERM: 'xterm-256color' }).isDumbTerminal).toBe(false);
  });

  test('folders follow the XDG variables, and our own before them', () => {
    const xdg = { XDG_STATE_HOME: '/s', XDG_CONFIG_HOME: '/c' };
    expect(readEnvironment(xdg)).toMatchObject({
      stateDirectory: '/s/steproll',
      profilesFile: '/c/steproll/profiles',
    });
    expect(
      readEnvironment({ ...xdg, STEPROLL_STATE_DIR: '/t', STEPROLL_PROFILES_FILE: '/p' }),
    ).toMatchObject({ stateDirectory: '/t', profilesFile: '/p' });
  });
});
