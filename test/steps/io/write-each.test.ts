import { expect, test } from '@jest/globals';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import { writeEach } from '../../../lib/steps/io/write-each.ts';

const IDS = Array.from({ length: 20 }, (_, index) => `e${index}`);

test('the rows are in the order of the ids, whichever write ends first', async () => {
  const ends: (() => void)[] = [];
  const ids = IDS.slice(0, 8);
  const written = writeEach(ids, () => new Promise<void>((resolve) => ends.push(resolve)));
  while (ends.length < ids.length) await Promise.resolve();
  for (const end of ends.toReversed()) end();
  expect(await written).toEqual(ids.map((endpointId) => ({ endpointId, result: 'accepted' })));
});

test('each id is written once, at most 8 at a time', async () => {
  const seen: string[] = [];
  let now = 0;
  let most = 0;
  await writeEach(IDS, async (id) => {
    seen.push(id);
    now += 1;
    most = Math.max(most, now);
    await Promise.resolve();
    now -= 1;
  });
  expect(seen.toSorted()).toEqual(IDS.toSorted());
  expect(most).toBe(8);
});

test.each([
  [ErrorName.UpstreamConflict, 'rejected'],
  [ErrorName.UpstreamNotFound, 'rejected'],
  [ErrorName.OutcomeUnknown, 'unknown'],
  [ErrorName.ResponseTooLarge, 'rejected'],
])(
  'A17: one write that fails with %s is its own row, and the others are made',
  async (name, result) => {
    const rows = await writeEach(['a', 'b', 'c'], async (id) => {
      if (id === 'b') throw new SteprollError(name, 'no');
    });
    expect(rows).toEqual([
      { endpointId: 'a', result: 'accepted' },
      { endpointId: 'b', result, reason: name, message: 'no' },
      { endpointId: 'c', result: 'accepted' },
    ]);
  },
);

test.each([
  ErrorName.UpstreamAuth,
  ErrorName.SecretUnavailable,
  ErrorName.UpstreamThrottled,
  ErrorName.UpstreamProtocol,
  ErrorName.UpstreamTimeout,
])('H18: after %s, which is thrown before a write is sent, nothing more is sent', async (name) => {
  const sent: string[] = [];
  const rows = await writeEach(IDS, async (id) => {
    sent.push(id);
    throw new SteprollError(name, 'no');
  });
  expect(sent).toEqual(IDS.slice(0, 8));
  expect(rows.map(({ endpointId }) => endpointId)).toEqual(IDS);
  expect(rows.slice(8).every((row) => row.result === 'not-sent' && row.reason === name)).toBe(true);
});
