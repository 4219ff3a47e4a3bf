import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSelected, matchesName } from '../../../lib/domain/planning/selection.ts';
import type { Selection } from '../../../lib/domain/rollout/policy.ts';
import { selection } from '../arbitraries.ts';

const ALL: Selection = { names: [], ids: [], exclude: [] };
const web = { id: 'ep-7', name: 'web-7' };
const nameless = { id: 'ep-8', name: null };

describe('isSelected', () => {
  test.each<[string, Partial<Selection>, boolean]>([
    ['everything', {}, true],
    ['its name', { names: ['web-7'] }, true],
    ['a pattern of its name', { names: ['db-*', 'web-*'] }, true],
    ['another name', { names: ['db-*'] }, false],
    ['part of its name', { names: ['web'] }, false],
    ['a name in other letters', { names: ['WEB-7'] }, false],
    ['its id among the names', { names: ['ep-7'] }, true],
    ['a pattern of its id, which it does not go by', { names: ['ep-*'] }, false],
    ['its id', { ids: ['ep-7'] }, true],
    ['another id', { ids: ['ep-9'] }, false],
    ['an id that is no pattern', { ids: ['ep-*'] }, false],
    ['its id, and the name of another', { names: ['db-*'], ids: ['ep-7'] }, true],
    ['its name, and the id of another', { names: ['web-*'], ids: ['ep-9'] }, true],
    ['all but its name', { exclude: ['web-7'] }, false],
    ['all but a pattern of its name', { exclude: ['web-*'] }, false],
    ['all but its id', { exclude: ['ep-7'] }, false],
    ['all but another', { exclude: ['web-8'] }, true],
    ['its id, and not its name', { ids: ['ep-7'], exclude: ['web-*'] }, false],
    ['its name, and not its id', { names: ['web-*'], exclude: ['ep-7'] }, false],
  ])('%s: %#', (_, said, isMeant) => {
    expect(isSelected(web, { ...ALL, ...said })).toBe(isMeant);
  });

  test('an endpoint without a name goes by its id', () => {
    expect(isSelected(nameless, { ...ALL, names: ['ep-*'] })).toBe(true);
    expect(isSelected(nameless, { ...ALL, exclude: ['ep-*'] })).toBe(false);
    expect(isSelected(nameless, { ...ALL, names: ['web-*'] })).toBe(false);
  });

  test('what is excluded is never meant, whatever else is said', () => {
    const endpoint = fc.record({
      id: fc.constantFrom('a', '1', 'ep-7'),
      name: fc.constantFrom(null, 'web-2', 'shared'),
    });
    fc.assert(
      fc.property(endpoint, selection, (one, said) => {
        const { exclude } = said;
        fc.pre(exclude.includes(one.id) || matchesName(one, exclude));
        expect(isSelected(one, said)).toBe(false);
      }),
    );
  });
});

test.each<[readonly string[], boolean]>([
  [[], false],
  [['nobody'], false],
  [['nobody', 'web-*'], true],
  [['*'], true],
])('the name web-7 matches one of %j: %p', (patterns, matches) => {
  expect(matchesName(web, patterns)).toBe(matches);
});
