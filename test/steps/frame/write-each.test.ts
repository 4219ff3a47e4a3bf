import { expect, test } from '@jest/globals';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import { writeEach } from '../../../lib/steps/frame/write-each.ts';

const IDS = Array.from({ length: 20 }, (_, index) => `e${index}`);

test('the rows are in the order of the ids, whichever write ends first', async () => {
  const ends: (() => void)[] = [];
  const ids = IDS.slice(0, 8);
  const written = writeEach(
    ids,
    () => new Promise((resolve) => ends.push(() => resolve(undefined))),
  );
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
    return undefined;
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
      return undefined;
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

test('an aborted signal ends the batch between two writes', async () => {
  const abort = new AbortController();
  const rows = await writeEach(
    IDS,
    async () => {
      abort.abort();
      return undefined;
    },
    { signal: abort.signal },
  );
  expect(rows.map(({ result }) => result).slice(1)).toEqual(Array(19).fill('not-sent'));
  expect(rows[19]).toEqual({ endpointId: 'e19', result: 'not-sent', reason: 'Interrupted' });
});

test('what must not begin is not sent, and is asked for just before its handful', async () => {
  const asked: (readonly string[])[] = [];
  const sent: string[] = [];
  const rows = await writeEach(
    IDS,
    async (id) => {
      sent.push(id);
      return undefined;
    },
    {
      async findRefusals(handful) {
        asked.push([...handful, `${sent.length} sent`]);
        return new Map(handful.includes('e9') ? [['e9', 'NotNeeded']] : []);
      },
    },
  );
  expect(asked.map((handful) => handful.at(-1))).toEqual(['0 sent', '8 sent', '15 sent']);
  expect(sent).toEqual(IDS.filter((id) => id !== 'e9'));
  expect(rows[9]).toEqual({ endpointId: 'e9', result: 'not-sent', reason: 'NotNeeded' });
});

test('where it cannot be known what may begin, nothing more does', async () => {
  const sent: string[] = [];
  const rows = await writeEach(
    IDS,
    async (id) => {
      sent.push(id);
      return undefined;
    },
    {
      async findRefusals() {
        if (sent.length > 0) throw new SteprollError(ErrorName.LedgerUnavailable, 'away');
        return new Map();
      },
    },
  );
  expect(sent).toEqual(IDS.slice(0, 8));
  expect(rows.slice(8)).toEqual(
    IDS.slice(8).map((endpointId) => ({
      endpointId,
      result: 'not-sent',
      reason: 'LedgerUnavailable',
      message: 'away',
    })),
  );
});
