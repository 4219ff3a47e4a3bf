import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PlannedEndpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import { isSelected, matchesName } from '../../../lib/domain/planning/selection.ts';
import { endpointsOf, sizeIn, splitWaves } from '../../../lib/domain/planning/waves.ts';
import { PRESETS } from '../../../lib/domain/rollout/default-policy.ts';
import type { Wave, WaveSize } from '../../../lib/domain/rollout/policy.ts';
import { waveSizes, waves } from '../arbitraries.ts';
import { planned } from '../examples.ts';

const SAFE: Wave[] = [{ endpoints: 1 }, { percent: 25 }, { percent: 100 }];
const BAKE = 300;

const fleet = (total: number): PlannedEndpoint[] =>
  Array.from({ length: total }, (_, index) => planned(`e${index}`));
const split = (endpoints: readonly PlannedEndpoint[], sizes: readonly Wave[]) =>
  splitWaves(endpoints, { waves: sizes, bakeSeconds: BAKE });

/** The ids of each wave. */
function idsOf(endpoints: readonly PlannedEndpoint[], sizes: readonly Wave[]): string[][] {
  const drawn = split(endpoints, sizes);
  const ids = drawn.endpoints.map(({ endpointId }) => endpointId);
  return drawn.waves.map(({ from, to }) => ids.slice(from, to));
}

describe('splitWaves', () => {
  test.each<[total: number, sizes: Wave[], waves: [number, number][]]>([
    [
      12,
      SAFE,
      [
        [0, 1],
        [1, 3],
        [3, 12],
      ],
    ],
    [
      5,
      SAFE,
      [
        [0, 1],
        [1, 5],
      ],
    ],
    [1, SAFE, [[0, 1]]],
    [0, SAFE, []],
    [4, [{ percent: 100 }], [[0, 4]]],
    [3, [{ endpoints: 10 }, { percent: 100 }], [[0, 3]]],
    [
      100,
      [{ endpoints: 50 }, { percent: 25 }, { percent: 100 }],
      [
        [0, 50],
        [50, 100],
      ],
    ],
  ])('%i endpoints in %j', (total, sizes, expected) => {
    const endpoints = fleet(total);
    expect(split(endpoints, sizes)).toEqual({
      endpoints,
      waves: expected.map(([from, to]) => ({ from, to, bakeSeconds: BAKE })),
    });
  });

  test.each<[string, Wave[], string[][]]>([
    [
      'the canaries first, wherever they stand',
      [{ names: ['canary-*'] }, { percent: 100 }],
      [
        ['canary-1', 'canary-2'],
        ['web-1', 'web-2', 'nameless'],
      ],
    ],
    [
      'several names, in the order of the plan',
      [{ names: ['web-2', 'canary-2'] }, { percent: 100 }],
      [
        ['canary-2', 'web-2'],
        ['web-1', 'canary-1', 'nameless'],
      ],
    ],
    [
      'an endpoint without a name goes by its id',
      [{ names: ['name*'] }, { percent: 100 }],
      [['nameless'], ['web-1', 'canary-1', 'canary-2', 'web-2']],
    ],
    [
      'whom a wave before has taken is not taken again',
      [{ names: ['canary-1'] }, { names: ['canary-*'] }, { percent: 100 }],
      [['canary-1'], ['canary-2'], ['web-1', 'web-2', 'nameless']],
    ],
    [
      'names of nobody make no wave',
      [{ names: ['nobody'] }, { percent: 100 }],
      [['web-1', 'canary-1', 'canary-2', 'web-2', 'nameless']],
    ],
    [
      'names of everybody leave nothing for a wave of the rest',
      [{ names: ['*'] }, { percent: 100 }],
      [['web-1', 'canary-1', 'canary-2', 'web-2', 'nameless']],
    ],
    [
      'sizes are cumulative over the names before',
      [{ names: ['canary-*'] }, { endpoints: 3 }, { percent: 100 }],
      [['canary-1', 'canary-2'], ['web-1'], ['web-2', 'nameless']],
    ],
    [
      'a size that the names have reached makes no wave',
      [{ names: ['canary-*'] }, { endpoints: 1 }, { percent: 40 }, { percent: 100 }],
      [
        ['canary-1', 'canary-2'],
        ['web-1', 'web-2', 'nameless'],
      ],
    ],
    [
      'names after a size take from what is left',
      [{ endpoints: 2 }, { names: ['canary-*'] }, { percent: 100 }],
      [['web-1', 'canary-1'], ['canary-2'], ['web-2', 'nameless']],
    ],
  ])('waves by name: %s', (_, sizes, ids) => {
    const named = ['web-1', 'canary-1', 'canary-2', 'web-2'].map((name) => planned(name));
    expect(idsOf([...named, planned('nameless', { name: null })], sizes)).toEqual(ids);
  });

  test('each wave bakes for its own time, or else for that of the policy', () => {
    const sizes = [
      { endpoints: 1, bakeSeconds: 3600 },
      { names: ['e3'], bakeSeconds: 0 },
      { percent: 100 },
    ];
    expect(split(fleet(5), sizes).waves.map(({ bakeSeconds }) => bakeSeconds)).toEqual([
      3600,
      0,
      BAKE,
    ]);
  });

  test.each<[string, Wave[], bakes: number[]]>([
    [
      'the wave before',
      [{ endpoints: 1 }, { percent: 5, bakeSeconds: 3600 }, { percent: 100 }],
      [3600, BAKE],
    ],
    [
      'the wave before, which keeps its own where that is longer',
      [{ endpoints: 1, bakeSeconds: 7200 }, { percent: 5, bakeSeconds: 3600 }, { percent: 100 }],
      [7200, BAKE],
    ],
    [
      'the first wave that there is',
      [
        { names: ['nobody'], bakeSeconds: 3600 },
        { endpoints: 1, bakeSeconds: 0 },
        { percent: 100 },
      ],
      [3600, BAKE],
    ],
    [
      'the last wave that there is',
      [{ endpoints: 1 }, { endpoints: 4 }, { percent: 99 }, { percent: 100, bakeSeconds: 3600 }],
      [BAKE, 3600],
    ],
  ])('the bake of what adds nothing goes to %s', (_, sizes, bakes) => {
    expect(split(fleet(4), sizes).waves.map(({ bakeSeconds }) => bakeSeconds)).toEqual(bakes);
  });

  test('small fleets bake as long with the preset careful as large ones, whatever adds nothing', () => {
    const { waves: careful = [] } = PRESETS.careful;
    const bakes = (total: number) =>
      split(fleet(total), careful).waves.map((wave) => wave.bakeSeconds);
    const hours = (...each: number[]) => each.map((hour) => hour * 3600);
    expect(bakes(40)).toEqual(hours(1, 12, 4, 2, 2));
    expect(bakes(39)).toEqual(hours(12, 4, 2, 2));
    expect(bakes(12)).toEqual(hours(12, 4, 2, 2));
    expect(bakes(2)).toEqual(hours(12, 2));
    expect(bakes(1)).toEqual(hours(12));
  });

  test('nothing is rolled before what was rolled has baked as long as any wave until then promised', () => {
    const own = fc.array(fc.option(fc.nat(1000), { nil: undefined }), { maxLength: 20 });
    const names = ['web-1', 'web-2', 'web-10', 'shared', 'a1', null];
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), waves, own, (total, sizes, bakes) => {
        const endpoints = fleet(total).map((each, index) => ({
          ...each,
          name: names[index % names.length] ?? null,
        }));
        const promised = sizes.map((size, index) => ({
          ...size,
          bakeSeconds: bakes[index] ?? BAKE,
        }));
        const drawn = split(endpoints, promised);
        let rest: readonly PlannedEndpoint[] = endpoints;
        for (const size of promised) {
          // What the policy has rolled by the end of this wave, counted by itself.
          const isTaken =
            'names' in size
              ? ({ endpointId: id, name }: PlannedEndpoint) => matchesName({ id, name }, size.names)
              : (_: unknown, place: number) =>
                  total - rest.length + place < endpointsOf(sizeIn(size), total);
          rest = rest.filter((each, place) => !isTaken(each, place));
          const rolled = total - rest.length;
          const next = drawn.waves.find(({ to }) => to >= rolled);
          expect(next?.bakeSeconds).toBeGreaterThanOrEqual(size.bakeSeconds);
        }
      }),
    );
  });

  test('covers every endpoint exactly once and in order, in waves that are not empty', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), waveSizes, (total, sizes) => {
        const endpoints = fleet(total);
        const drawn = split(endpoints, sizes);
        expect(drawn.endpoints).toEqual(endpoints);
        expectPartition(drawn.waves, total);
      }),
    );
  });

  test('covers every endpoint exactly once, also with waves by name, and keeps the order within them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), waves, (total, sizes) => {
        const names = ['web-1', 'web-2', 'web-10', 'shared', 'a1', null];
        const endpoints = fleet(total).map((each, index) => ({
          ...each,
          name: names[index % names.length] ?? null,
        }));
        const drawn = split(endpoints, sizes);
        expectPartition(drawn.waves, total);
        expect(new Set(drawn.endpoints)).toEqual(new Set(endpoints));
        expect(drawn.endpoints).toHaveLength(total);
        const place = new Map(endpoints.map((each, index) => [each, index]));
        for (const { from, to } of drawn.waves) {
          const places = drawn.endpoints.slice(from, to).map((each) => place.get(each) ?? -1);
          expect(places).toEqual(places.toSorted((a, b) => a - b));
        }
      }),
    );
  });

  test('what the first wave names is in the first wave, all of it and nothing else', () => {
    const patterns = fc.uniqueArray(fc.constantFrom('e1*', 'e2', '*3', 'x'), { minLength: 1 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), patterns, (total, names) => {
        const [first = []] = idsOf(fleet(total), [{ names }, { percent: 100 }]);
        const isNamed = (id: string) => matchesName({ id, name: id }, names);
        const all = fleet(total).map(({ endpointId }) => endpointId);
        fc.pre(all.some(isNamed));
        expect(first).toEqual(all.filter(isNamed));
        const same = (id: string) => isSelected({ id, name: id }, { names, ids: [], exclude: [] });
        expect(all.filter(same)).toEqual(first);
      }),
    );
  });

  test('no wave goes beyond the size it was given, the first one least of all', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), waveSizes, (total, sizes) => {
        const ends = sizes.map((size: WaveSize) => endpointsOf(size, total));
        const drawn = split(fleet(total), sizes).waves;
        expect(drawn[0]?.to).toBeLessThanOrEqual(ends[0] ?? 0);
        expect(drawn.length).toBeLessThanOrEqual(sizes.length);
        for (const { to } of drawn) expect(ends).toContain(to);
      }),
    );
  });
});

function expectPartition(
  drawn: readonly { readonly from: number; readonly to: number }[],
  total: number,
): void {
  let next = 0;
  for (const { from, to } of drawn) {
    expect(from).toBe(next);
    expect(to).toBeGreaterThan(from);
    next = to;
  }
  expect(next).toBe(total);
}
