import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  readListenerFile,
  removeListenerFile,
  writeListenerFile,
} from '../../../lib/adapters/listener/listener-file.ts';

const address = { url: 'http://127.0.0.1:8090', token: 'one-token' };
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steproll-listener-'));
});
afterEach(() => rmSync(home, { recursive: true }));

test('the address is for this user alone, and nothing else is left', () => {
  const state = join(home, 'state');
  writeListenerFile(state, address);
  writeListenerFile(state, { ...address, token: 'another' });

  expect(readListenerFile(state)).toEqual({ ...address, token: 'another' });
  expect(readdirSync(state)).toEqual(['listener.json']);
  expect(statSync(join(state, 'listener.json')).mode & 0o777).toBe(0o600);
  expect(statSync(state).mode & 0o777).toBe(0o700);
});

test('a listener takes away its own address, and not that of another', () => {
  writeListenerFile(home, address);
  removeListenerFile(home, { ...address, token: 'another' });
  expect(readListenerFile(home)).toEqual(address);
  removeListenerFile(home, address);
  expect(readdirSync(home)).toEqual([]);
});

test.each([
  ['', 'half a file'],
  ['{"url":"http://evil.example","token":"a"}', 'another machine'],
  ['{"url":"http://127.0.0.1:8090@evil.example","token":"a"}', 'another machine in disguise'],
  ['{"url":"http://127.0.0.1:8090","token":"a\\nb"}', 'a token that no header holds'],
])('%s is no address: %s', (text) => {
  writeFileSync(join(home, 'listener.json'), text);
  expect(readListenerFile(home)).toBeNull();
  expect(readFileSync(join(home, 'listener.json'), 'utf8')).toBe(text);
});
