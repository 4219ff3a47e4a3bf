import { idOf } from '../endpoint-ids.ts';
import type { Guise, Ordeal } from '../ordeal.ts';
import { PROBE } from '../probe-rule.ts';
import { fleetOf, NO_GATES, namesOf, pickOf, quiet, type Situations } from './situation.ts';

/** Fleets that a service shows in an unusual way. */
export const FLEETS = {
  /** Some have no name, some have the same one, some end in numbers, and the id of one cannot stand in a path. */
  'called in an unusual way': (drawn, { at, pick }) => {
    const names = namesOf(drawn, 3);
    const [first = '', second = ''] = names;
    const called = (endpoint: string, name: string | null) => shown(endpoint, { name });
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ endpoints: 1 }, { percent: 50 }, { percent: 100 }],
        selection: pickOf(at, [EVERYTHING, EVERYTHING, { ...EVERYTHING, exclude: [first] }]),
      },
      guises: pickOf(pick, [
        names.map((name) => called(name, null)),
        names.map((name) => called(name, 'web')),
        names.map((name, nth) => called(name, `web-${4 * (names.length - nth)}`)),
        [called(first, second)],
        [shown(first, { id: '..' })],
      ]),
      asked:
        at % 2 === 0
          ? null
          : {
              kind: 'source',
              endpoint: pickOf(at, [
                second,
                idOf(2),
                `id:${idOf(2)}`,
                'web',
                `id:${second}`,
                'id:',
              ]),
              state: 'settled',
            },
      undo: null,
    });
  },
  /** Some show no version, no replicas or a bad status until they are rolled. */
  'at rest in an unusual way': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 2);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: { maxVersionStep: pickOf(lasts, [1, 2, 1_000]), progressDeadlineSeconds: 180 },
      guises: names
        .filter((_, nth) => nth % 2 === at % 2 || lasts % 3 === 0)
        .map((endpoint) => ({ endpoint, shown: pickOf(pick, RESTS), during: 'until rolled' })),
    });
  },
  /** So does the one that the version is taken from, as long as it is looked up there. */
  'taken from one at rest in an unusual way': (drawn, { lasts, pick }) => {
    const [source = '', ...others] = namesOf(drawn, 2);
    return quiet(drawn, {
      endpoints: [{ name: source, version: 2 }, ...fleetOf(others)],
      rollSeconds: 5,
      policy: { maxVersionStep: pickOf(lasts, [1, 2, 1_000]), progressDeadlineSeconds: 180 },
      guises: [
        { endpoint: source, shown: pickOf(pick, [...RESTS, { targetVersion: 5 }]), during: [1, 2] },
      ],
      asked: { kind: 'source', endpoint: source, state: 'settled' },
    });
  },
  /** A service shows the URL of an endpoint only once it serves, or only after its roll. */
  'without URLs': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 2);
    const dim = pickOf(lasts, RESTING_DIMLY);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        progressDeadlineSeconds: 180,
        verify: { ...NO_GATES, probe: { ...PROBE, hosts: pickOf(pick, PROBED) } },
      },
      guises: names.flatMap((name, nth): Guise[] => {
        const hasUrl = at % 4 === 0 && nth > 0;
        const isDim = at % 4 < 3 || nth > 0;
        const url = hasUrl ? {} : { url: null };
        return [{ endpoint: name, shown: { ...(isDim && dim), ...url }, during: 'until rolled' }];
      }),
    });
  },
  /** Rows slip from page to page while the plan is made. */
  'slips while it is planned': (drawn, { at, pick }) => {
    const [first = '', second = '', ...others] = namesOf(drawn, 2);
    return quiet(drawn, {
      endpoints: fleetOf([first, second, ...others]),
      rollSeconds: 5,
      policy: { maxVersionStep: pickOf(at, [1, 1_000]) },
      guises: pickOf(pick, [
        [missing(first, [1])],
        [missing(first, [2])],
        [missing(first, [1]), missing(second, [2])],
        [missing(first, [1, 3]), missing(second, [2])],
        [missing(first, [3, 5]), missing(second, [4, 6])],
        [missing(first, [1, 3, 5, 7]), missing(second, [2, 4, 6, 8])],
      ]),
    });
  },
} satisfies Situations;

const EVERYTHING: Ordeal['policy']['selection'] = { names: [], ids: [], exclude: [] };

function shown(endpoint: string, said: Guise['shown']): Guise {
  return { endpoint, shown: said, during: 'always' };
}

function missing(endpoint: string, during: readonly number[]): Guise {
  return { endpoint, shown: null, during };
}

const RESTS: readonly [NonNullable<Guise['shown']>, ...NonNullable<Guise['shown']>[]] = [
  { liveVersion: 0 },
  { liveVersion: null },
  { targetVersion: null },
  { replicas: 0 },
  { status: 'ERROR' },
  { status: 'STOPPED' },
  { targetVersion: 0, liveVersion: 0, replicas: 0 },
  { targetVersion: null, liveVersion: null },
];

/** What does not serve may get its URL with the new version. */
const RESTING_DIMLY: readonly [NonNullable<Guise['shown']>, ...NonNullable<Guise['shown']>[]] = [
  {},
  { replicas: 0 },
  { status: 'ERROR' },
  { status: 'STOPPED' },
  { replicas: 0, status: 'ERROR' },
];

const PROBED: readonly [readonly string[], ...(readonly string[])[]] = [
  PROBE.hosts,
  PROBE.hosts,
  ['*.example.com'],
];
