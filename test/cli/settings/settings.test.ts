import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  GLOBAL_OPTIONS,
  type GlobalOption,
  variableOf,
} from '../../../lib/cli/options/global-options.ts';
import { mergeSettings, type Sources, valuesOf } from '../../../lib/cli/settings/settings.ts';

const ROWS: readonly GlobalOption[] = GLOBAL_OPTIONS;
const PLACES = ['typed', 'environment', 'profile', 'config'] as const;

/** Sources in which these places say something about one option, each something else. */
function sourcesFor(row: GlobalOption, places: readonly string[], isTyped = false): Sources {
  const say = (place: string, key: string | undefined) =>
    key !== undefined && places.includes(place) ? { [key]: `by ${place}` } : {};
  return {
    given: say('typed', row.option),
    environment: say('environment', variableOf(row.option)) as Record<string, string>,
    files: [
      {
        kind: 'profile',
        isNamed: true,
        isTyped,
        name: 'profile "p"',
        values: say('profile', row.profileKey),
      },
      {
        kind: 'config',
        isNamed: true,
        isTyped,
        name: 'c.json',
        values: { policies: {}, runtimes: {}, ...inObjects(say('config', row.configKeys?.[0])) },
      },
    ],
  };
}

/** A key with a dot in it is the way to a value: `service.kind`. */
function inObjects(said: object): object {
  return Object.fromEntries(
    Object.entries(said).map(([path, value]) => {
      const [key = '', inner] = path.split('.');
      return [key, inner === undefined ? value : { [inner]: value }];
    }),
  );
}

/** The places that may set an option at all. */
function placesOf({ profileKey, configKeys }: GlobalOption): string[] {
  return PLACES.filter(
    (place) =>
      !(place === 'profile' && profileKey === undefined) &&
      !(place === 'config' && configKeys === undefined),
  );
}

describe('settings', () => {
  test('option, environment, files in their order: the first that says something wins', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ROWS), fc.subarray([...PLACES]), (row, places) => {
        const winner = placesOf(row).find((place) => (places as string[]).includes(place));
        const setting = mergeSettings(sourcesFor(row, places)).get(row.option);
        expect(setting?.value).toBe(winner === undefined ? undefined : `by ${winner}`);
      }),
    );
  });

  test('files that were typed go before the environment, and an option before them', () => {
    const order = ['typed', 'profile', 'config', 'environment'];
    fc.assert(
      fc.property(fc.constantFrom(...ROWS), fc.subarray([...PLACES]), (row, places) => {
        const may = placesOf(row);
        const winner = order.find((one) => may.includes(one) && (places as string[]).includes(one));
        const setting = mergeSettings(sourcesFor(row, places, true)).get(row.option);
        expect(setting?.value).toBe(winner === undefined ? undefined : `by ${winner}`);
      }),
    );
  });

  test.each([
    ['typed', '--region'],
    ['environment', 'STEPROLL_REGION'],
    ['profile', 'profile "p", region'],
    ['config', 'c.json, region'],
  ])('a value that is %s is said to be from %s', (place, from) => {
    const row = ROWS.find(({ option }) => option === '--region') as GlobalOption;
    expect(mergeSettings(sourcesFor(row, [place])).get('--region')?.from).toBe(from);
  });

  test('arguments and options of the command itself are settings too', () => {
    const settings = mergeSettings({ given: { id: 'shop', '--name': undefined }, environment: {} });
    expect([...settings]).toEqual([['id', { value: 'shop', from: 'id' }]]);
  });

  test('the region from one place fills the URL from another', () => {
    const settings = mergeSettings({
      given: { '--region': 'eu-1' },
      environment: { STEPROLL_ENDPOINT_URL: 'https://{region}.example' },
    });
    expect(valuesOf(settings)).toEqual({
      '--region': 'eu-1',
      '--endpoint-url': 'https://eu-1.example',
    });
  });
});
