import { expect, test } from '@jest/globals';
import { withHolds } from './draw-holds.ts';
import type { Ordeal } from './ordeal.ts';
import { QUIET } from './quiet.ts';

const REFUSED: NonNullable<Parameters<typeof withHolds>[1]> = {
  holds: [{ kind: 'pause', on: 'everything', from: 'refused', seconds: 7, liftedAfter: null }],
  isOfGroup: false,
  refuses: false,
  isAgain: false,
  listens: false,
  isQuiet: true,
  asksForLatest: false,
  hasRival: false,
};

const [FIRST, LAST] = ['endpoint-01', 'endpoint-02'];

test.each<[string, Ordeal['asked'], number]>([
  ['is to be rolled as well', null, 1],
  ['stays where the version is taken from it', sourceOf(LAST), 2],
])('an endpoint that is there, beside one whose roll is refused, %s', (_, asked, version) => {
  const endpoints = [
    { name: FIRST, version: 1 },
    { name: LAST, version: 2 },
  ];

  const drawn = withHolds({ ...QUIET, endpoints, asked }, REFUSED);

  expect(drawn.writes).toMatchObject([{ endpoint: FIRST, kind: 'UpstreamThrottled' }]);
  expect(drawn.endpoints).toEqual([
    { name: FIRST, version: 1 },
    { name: LAST, version },
  ]);
});

function sourceOf(endpoint: string): Ordeal['asked'] {
  return { kind: 'source', endpoint, state: 'settled' };
}
