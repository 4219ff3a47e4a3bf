import { expect, test } from '@jest/globals';
import { ErrorName } from '../../../lib/domain/errors.ts';
import { foresee } from '../../../lib/domain/turn/foresee.ts';
import { utc } from './examples.ts';

const NOW = utc('2026-11-22T10:00');
const HOUR = 3600;
const message = 'It is closed.';

test.each<[string, Parameters<typeof foresee>[0], object]>([
  [
    'at once, where nothing is in its way',
    { decision: 'go' },
    { at: NOW, endsAt: utc('2026-11-22T11:00'), message: null },
  ],
  [
    'when the wait ends, where somebody knows when that is',
    { decision: 'wait', until: utc('2026-11-23T09:00'), of: message },
    { at: utc('2026-11-23T09:00'), endsAt: utc('2026-11-23T10:00'), message },
  ],
  [
    'at no time that anybody could say, where it waits for another rollout',
    { decision: 'wait', until: null, of: message },
    { at: null, endsAt: null, message },
  ],
  [
    'not at all, where it is refused',
    { decision: 'refuse', error: { name: ErrorName.OutsideWindow, message } },
    { at: null, endsAt: null, message: `OutsideWindow: ${message}` },
  ],
  [
    'not at all, where it ends',
    { decision: 'end', ending: { message } },
    { at: null, endsAt: null, message },
  ],
])('a rollout that is asked for now begins and ends %s', (_, first, begin) => {
  expect(foresee(first, HOUR, NOW)).toEqual(begin);
});
