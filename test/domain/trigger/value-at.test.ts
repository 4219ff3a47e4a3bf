import { expect, test } from '@jest/globals';
import { valueAt } from '../../../lib/domain/trigger/release.ts';

const EVENT = { detail: { 'image-tag': 'v7', deep: { er: 1 }, list: ['a'], nothing: null } };

test.each<[string, unknown]>([
  ['detail.image-tag', 'v7'],
  ['detail.deep.er', 1],
  ['detail.list.0', 'a'],
  ['detail.nothing', null],
  ['detail.nothing.more', undefined],
  ['detail.image-tag.length', undefined],
  ['detail.missing', undefined],
  ['detail.constructor', undefined],
  ['detail.__proto__', undefined],
  ['detail.toString.name', undefined],
])('at %s is %p', (path, value) => {
  expect(valueAt(EVENT, path)).toEqual(value);
});

test.each([null, undefined, 'detail', 7])('in %p there is nothing', (event) => {
  expect(valueAt(event, 'detail.image-tag')).toBeUndefined();
});
