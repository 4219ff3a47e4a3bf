import { expect, test } from '@jest/globals';
import { decodeRecord, encodeRecord } from '../../../lib/contract/ledger/envelope.ts';
import { eventRecord } from '../../../lib/contract/ledger/records.ts';
import { everyEvent } from '../../domain/events/examples.ts';

const STORED = everyEvent().slice(0, -1);
const [started] = STORED;

test.each(STORED)('is read as it was written: $eventId', (event) => {
  expect(decodeRecord(eventRecord, encodeRecord(event))).toEqual(event);
});

test('A11: a failure that an older steproll has told, without its cause, is read', () => {
  const failing = STORED.find(({ kind }) => kind === 'failing');
  const { cause: _, ...older } = { cause: null, ...failing };

  expect(decodeRecord(eventRecord, encodeRecord(older))).toEqual(older);
});

test.each<[string, unknown]>([
  ['the end, which follows from the outcome', everyEvent().at(-1)],
  ['a kind that this version does not know', { ...started, kind: 'paused' }],
  ['a field that it does not know', { ...started, region: 'here' }],
  ['a field that is missing', { ...started, eventId: undefined }],
])('A11: refused: %s', (_, event) => {
  expect(() => decodeRecord(eventRecord, encodeRecord(event))).toThrow(
    expect.objectContaining({ name: 'IncompatibleState' }),
  );
});
