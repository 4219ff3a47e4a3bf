import { describe, expect, jest, test } from '@jest/globals';
import { printResult, renderResult } from '../../../lib/cli/terminal/print-result.ts';
import { toRolloutView } from '../../../lib/telling/view/rollout-view.ts';
import { recordOf } from '../../domain/examples.ts';

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
    expect(renderResult([['f'], [[{ endpointId: 'g' }]]], 'id', 80)).toEqual(['f', 'g']);
    expect(renderResult('e\u001b', 'id', 80)).toEqual(['e\uFFFD']);
    expect(renderResult({ endpoints: [] }, 'id', 80)).toEqual([]);
  });

  test('the record of a rollout is no page, though it has endpoints', () => {
    const report = toRolloutView(recordOf(), 0);
    expect(renderResult(report, 'id', 80)).toEqual(['rollout-1']);
    expect(renderResult(report, 'table', 80)).toContainEqual(
      expect.stringMatching(/^runtimeId +shop$/),
    );
  });

  test('an empty page of several says that there is nothing on it, and which page it is', () => {
    const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      printResult({ endpoints: [], page: 9, totalPages: 2 }, { '--output': 'table' });
      expect(written.mock.calls).toEqual([['No endpoints.\nPage 9 of 2, --all lists all.\n']]);
    } finally {
      written.mockRestore();
    }
  });

  test.each([
    [{ runs: 100, outcomes: [] }, [['Nothing in the result has an id.\n']]],
    [[], []],
    [{ endpoints: [], page: 1 }, []],
  ])('a result without an id says so on stderr, and an empty list does not: %j', (result, said) => {
    const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      printResult(result, { '--output': 'id' });
      expect(written.mock.calls).toEqual(said);
    } finally {
      written.mockRestore();
    }
  });

  test('a terminal that does not say how wide it is gets a table all the same', () => {
    const stdout = jest.spyOn(process, 'stdout', 'get').mockReturnValue({
      isTTY: true,
      columns: 0,
      write: jest.fn(() => true),
    } as never);
    try {
      printResult(page, { '--output': 'table' });
      expect(process.stdout.write).toHaveBeenCalledWith(expect.stringContaining('a   web-1 '));
    } finally {
      stdout.mockRestore();
    }
  });
});
