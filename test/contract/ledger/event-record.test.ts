import { expect, test } from '@jest/globals';
import { decodeRecord, encodeRecord } from '../../../lib/contract/ledger/envelope.ts';
import { eventRecord } from '../../../lib/contract/ledger/records.ts';
import { everyEvent } from '../../domain/events/examples.ts';
import { textFromTomorrow } from '../../support/from-tomorrow.ts';

const STORED = everyEvent().slice(0, -1);
const [started] = STORED;

test.each(STORED)('is read as it was written: $eventId', (event) => {
  expect(decodeRecord(eventRecord, encodeRecord(event))).toEqual(event);
});

test.each(STORED)(
  'A11: is read without the fields that a newer steproll adds: $eventId',
  (event) => {
    expect(decodeRecord(eventRecord, textFromTomorrow(encodeRecord(event)))).toEqual(event);
  },
);

test('A11: of a kind that this version does not know says nothing', () => {
  expect(decodeRecord(eventRecord, encodeRecord({ ...started, kind: 'paused' }))).toBeNull();
});

test.each<[string, unknown]>([
  ['no kind', { ...started, kind: undefined }],
  ['a field that is missing', { ...started, eventId: undefined }],
])('A11: refused: %s', (_, event) => {
  expect(() => decodeRecord(eventRecord, encodeRecord(event))).toThrow(
    expect.objectContaining({ name: 'IncompatibleState' }),
  );
});
