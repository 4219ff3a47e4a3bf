import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { readDoc } from '../docs/code-blocks.ts';
import { execForm, imageEnvironment, inImage, readContainerfile } from './containerfile.ts';

const INSTRUCTIONS = readContainerfile();
const named = (name: string) =>
  INSTRUCTIONS.filter((one) => one.name === name).map(({ text }) => text);
const ROOT = new URL('../../', import.meta.url);

test('knows only instructions that every builder knows, in two stages', () => {
  const known = /^(FROM|WORKDIR|COPY|RUN|ENV|VOLUME|USER|HEALTHCHECK|ENTRYPOINT|CMD)$/;
  expect(INSTRUCTIONS.filter(({ name }) => !known.test(name))).toEqual([]);
  expect(INSTRUCTIONS.at(-1)?.stage).toBe(1);
});

test('begins both stages with the Node.js that the tests run on, of one exact version', () => {
  const { version } = JSON.parse(readFileSync(new URL('.toolchain/package.json', ROOT), 'utf8'));
  const versions = named('FROM').map(
    (text) => /^docker\.io\/library\/node:(\d+\.\d+\.\d+)-/.exec(text)?.[1],
  );
  expect(versions).toEqual([version, version]);
});

test('copies files that are here, one by one, and never the whole folder', () => {
  const copied = INSTRUCTIONS.filter(({ name, stage }) => name === 'COPY' && stage === 0);
  const sources = copied.flatMap(({ text }) => text.split(' ').slice(0, -1));
  expect(sources.length).toBeGreaterThan(5);
  expect(sources.filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([]);
  for (const path of sources) expect(path).toMatch(/^\.?\w[\w.-]*$/);
});

test('keeps no packages of the developers, and runs no scripts of packages', () => {
  const runs = named('RUN').join('\n');
  expect(runs.match(/npm \w+[^&\n]*/g)).toEqual([
    'npm ci --ignore-scripts',
    'npm prune --omit=dev --ignore-scripts',
  ]);
  expect(inImage('COPY').every((text) => text.startsWith('--from=build /build/'))).toBe(true);
});

test('runs as a number that is no user, in exec form, with a volume that any number may use', () => {
  expect(inImage('USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
  const [volume = ''] = execForm(inImage('VOLUME')[0]);
  expect(inImage('RUN').join()).toContain(`install -d -m 1777 ${volume} `);
  expect(imageEnvironment().STEPROLL_STATE_DIR).toMatch(new RegExp(`^${volume}/\\w+$`));
  for (const name of ['ENTRYPOINT', 'CMD', 'HEALTHCHECK']) {
    expect(inImage(name)).toEqual([expect.stringMatching(/\["/)]);
    expect(execForm(inImage(name)[0])).not.toContain('sh');
  }
});

test('has no secret in it', () => {
  expect(
    Object.keys(imageEnvironment()).filter((name) => /TOKEN|SECRET|PASS|KEY/.test(name)),
  ).toEqual([]);
  expect(named('ARG')).toEqual([]);
});

test('says that it was never built, and so does its page', () => {
  expect(readDoc('Containerfile')).toContain('No build of this file has run yet.');
  expect(readDoc('docs/containers.md')).toContain('It was never built');
});
