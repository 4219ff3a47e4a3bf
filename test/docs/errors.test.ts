import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { ErrorName } from '../../lib/domain/errors.ts';
import { readDoc } from './code-blocks.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = readDoc('docs/errors.md');
const isThere = (name: string) => PAGE.includes(`\`${name}\``);

/** Whatever looks like the name of an error or a reason in the code that decides how a rollout ends. */
const WRITTEN = globSync('lib/domain/{ending,decision,signals,wave,turn,writes}/*.ts', {
  cwd: ROOT,
})
  .flatMap((file) => [
    ...readFileSync(`${ROOT}${file}`, 'utf8').matchAll(
      /reason: '([A-Z]\w+)'|'([A-Z][a-z]+(?:[A-Z][a-z]+)+)'/g,
    ),
  ])
  .map(([, reason, name = '']) => reason ?? name);

test('every error is on the page of errors', () => {
  expect(Object.values(ErrorName).filter((name) => !isThere(name))).toEqual([]);
});

test('every reason that the code writes down is on it', () => {
  expect(WRITTEN.length).toBeGreaterThan(20);
  expect([...new Set(WRITTEN)].filter((name) => !isThere(name))).toEqual([]);
});

test('every reason in the stories of rollouts is on it', () => {
  const stories = readFileSync(`${ROOT}test/scenarios/stories/stories.md`, 'utf8');
  const told = [
    ...stories.matchAll(/\b(?:Failed|Errored|Refused|Superseded|Aborted|Succeeded) \((\w+)[,)]/g),
  ];
  const names = [...new Set(told.map(([, name = '']) => name))].filter((name) =>
    /^[A-Z]/.test(name),
  );
  expect(names.filter((name) => !isThere(name))).toEqual([]);
});
