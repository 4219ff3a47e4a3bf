import { describe, expect, test } from '@jest/globals';
import { querySchema } from '../../../lib/cli/options/global-shape.ts';
import { checkInput } from '../../../lib/contract/input/parse-input.ts';

const PAGE = {
  endpoints: [
    { id: 'a', liveVersion: 10 },
    { id: 'b', liveVersion: 9 },
  ],
  page: 1,
};

describe('--query', () => {
  test.each([
    ['endpoints[].id', ['a', 'b']],
    ['length(endpoints)', 2],
    ['endpoints[?liveVersion > `9`].id | [0]', 'a'],
    ['nothing', null],
  ])('%s picks %j', (text, picked) => {
    expect(querySchema.parse(text)?.(PAGE)).toEqual(picked);
  });

  test.each(['endpoints[', '', 'a ||', 'nofunction(@)', 'a[?nofunction(b)]'])(
    '%j is refused before any call',
    (text) => {
      const checked = checkInput(querySchema, text);
      expect('mistakes' in checked && checked.mistakes[0]?.text).toContain('it is no JMESPath');
    },
  );

  test('that does not fit the result says that the command was carried out', () => {
    expect(() => querySchema.parse('length(page)')?.(PAGE)).toThrow(
      expect.objectContaining({
        name: 'InvalidInput',
        message: expect.stringContaining('The command was carried out'),
      }),
    );
  });
});
