import { expect, test } from '@jest/globals';
import { describeOpening } from '../../../lib/domain/turn/window.ts';
import { freeze, openWindow, utc } from './examples.ts';

const windows = [openWindow({ days: ['mon', 'tue'], from: '09:00', to: '17:00' })];
const ALWAYS = { windows: [], freezes: [] };

test.each([
  [
    'in a window, with its end',
    { windows, freezes: [] },
    '2026-11-23T10:05',
    {
      changesAt: utc('2026-11-23T17:00'),
      message: 'Open until 2026-11-23 17:00Z (mon 2026-11-23 17:00 UTC).',
    },
  ],
  [
    'before a window, with its beginning',
    { windows, freezes: [] },
    '2026-11-22T10:05',
    {
      changesAt: utc('2026-11-23T09:00'),
      message:
        'Outside of the deployment windows: rollouts may start from 2026-11-23 09:00Z (mon 2026-11-23 09:00 UTC) on.',
    },
  ],
  [
    'before a freeze',
    { windows: [], freezes: [freeze('2026-11-24T00:00', '2026-11-25T00:00')] },
    '2026-11-22T10:05',
    {
      changesAt: utc('2026-11-24T00:00'),
      message: 'Open until 2026-11-24 00:00Z (tue 2026-11-24 00:00 UTC).',
    },
  ],
  [
    'where nothing closes',
    ALWAYS,
    '2026-11-22T10:05',
    { changesAt: null, message: 'Open, and for 7 days nothing closes.' },
  ],
  [
    'where nothing opens',
    { windows: [], freezes: [freeze('2026-11-01T00:00', '2026-12-31T00:00')] },
    '2026-11-22T10:05',
    {
      changesAt: null,
      message:
        'Frozen from 2026-11-01T00:00 to 2026-12-31T00:00 UTC: no rollout may start within 7 days.',
    },
  ],
])('%s', (_, rules, now, expected) => {
  expect(describeOpening(rules, utc(now))).toEqual(expected);
});
