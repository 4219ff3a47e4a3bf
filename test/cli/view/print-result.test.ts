import { describe, expect, test } from '@jest/globals';
import { renderResult } from '../../../lib/cli/view/print-result.ts';

const page = {
  endpoints: [
    { id: 'a', name: 'web-1', version: 9, liveVersion: 10, status: null },
    { id: 'b', name: 'web-2\u001b[2J', version: 9, liveVersion: 9, status: 'ACTIVE' },
  ],
  page: 1,
};

describe('results', () => {
  test('a page is a table of its endpoints; what the service did not say is a dash', () => {
    expect(renderResult(page, 'table', 80)).toEqual([
      'id  name       status  liveVersion  version',
      'a   web-1      -                10        9',
      'b   web-2\uFFFD[2J  ACTIVE            9        9',
    ]);
  });

  test('what a query picked keeps its own order', () => {
    expect(renderResult([{ liveVersion: 1, id: 'a' }], 'table', 80)[0]).toBe('liveVersion  id');
  });

  test('json is whole, whatever the width', () => {
    expect(JSON.parse(renderResult(page, 'json', 10).join('\n'))).toEqual(page);
    expect(renderResult(undefined, 'json', 80)).toEqual(['null']);
  });

  test('id prints one id a line', () => {
    expect(renderResult(page, 'id', 80)).toEqual(['a', 'b']);
    expect(renderResult({ id: 'c' }, 'id', 80)).toEqual(['c']);
    expect(renderResult({ rolloutId: 'r' }, 'id', 80)).toEqual(['r']);
    expect(renderResult(['d', { name: 'no id' }, 7, null], 'id', 80)).toEqual(['d', '7']);
    expect(renderResult('e\u001b', 'id', 80)).toEqual(['e\uFFFD']);
    expect(renderResult({ endpoints: [] }, 'id', 80)).toEqual([]);
  });
});
