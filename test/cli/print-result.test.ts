import { describe, expect, test } from '@jest/globals';
import { compileQuery, renderResult } from '../../lib/cli/print-result.ts';
import { ErrorName } from '../../lib/domain/errors.ts';

const page = {
  endpoints: [
    { id: 'a', name: 'web-1', liveVersion: 10, status: null },
    { id: 'b', name: 'web-2\u001b[2J', liveVersion: 9, status: 'ACTIVE' },
  ],
  page: 1,
};

describe('results', () => {
  test('a page is a table of its endpoints; what the service did not say is a dash', () => {
    expect(renderResult(page, 'table', 80)).toEqual([
      'id  name       liveVersion  status',
      'a   web-1               10  -',
      'b   web-2\uFFFD[2J            9  ACTIVE',
    ]);
  });

  test('json is whole, whatever the width', () => {
    expect(JSON.parse(renderResult(page, 'json', 10).join('\n'))).toEqual(page);
    expect(renderResult(undefined, 'json', 80)).toEqual(['null']);
  });

  test('id prints one id a line', () => {
    expect(renderResult(page, 'id', 80)).toEqual(['a', 'b']);
    expect(renderResult({ id: 'c' }, 'id', 80)).toEqual(['c']);
    expect(renderResult(['d', { name: 'no id' }], 'id', 80)).toEqual(['d']);
  });

  test('a query picks before anything is printed', () => {
    const pick = (query: string) => renderResult(compileQuery(query)(page), 'table', 80);
    expect(pick('endpoints[].id')).toEqual(['a', 'b']);
    expect(pick('length(endpoints)')).toEqual(['2']);
    expect(pick('endpoints[0].status')).toEqual([]);
    expect(pick('endpoints[?liveVersion > `9`].{n: name}')).toEqual(['n', 'web-1']);
  });

  test('a query that is none is bad input', () => {
    expect(() => compileQuery('endpoints[')).toThrow(
      expect.objectContaining({ name: ErrorName.InvalidInput }),
    );
  });
});
