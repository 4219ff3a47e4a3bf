import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openSqliteLedger, type SqliteLedger } from '../../../lib/adapters/ledger/sqlite/ledger.ts';
import { sendAbort } from '../../../lib/cli/rollout/abort.ts';
import { acceptedAt } from '../../../lib/domain/rollout/opening.ts';
import { recordOf } from '../../domain/examples.ts';

const { request } = recordOf();
const { rolloutId } = request;
const said = { onFailure: 'hold', reason: 'wrong day' } as const;
let opened: SqliteLedger;

beforeEach(() => {
  opened = openSqliteLedger(':memory:');
});
afterEach(() => opened.end());

const begin = () => opened.ledger.open(request, 0, 60_000);

describe('an abort', () => {
  test('of one that waits ends it', async () => {
    const reasons: string[] = [];
    const endWaiting = async (_: string, why: string) => reasons.push(why) > 0;
    expect(await sendAbort(rolloutId, said, { ledger: opened.ledger, endWaiting })).toBeNull();
    expect(reasons).toEqual([expect.stringMatching(/^Aborted by .+: wrong day$/)]);
  });

  test('of one that waits and is in the ledger closes it, and ends its execution, which would sleep for nothing', async () => {
    const { ledger } = opened;
    await ledger.enlist(request, acceptedAt(0), 0);
    const ended: string[] = [];
    const endWaiting = async (id: string) => ended.push(id) > 0;
    expect(await sendAbort(rolloutId, said, { ledger, endWaiting })).toBeNull();
    expect((await ledger.read(rolloutId)).outcome).toMatchObject({ outcome: 'Aborted' });
    expect(ended).toEqual([rolloutId]);
  });

  test('of one that begins just then is said to it', async () => {
    const endWaiting = async () => {
      await begin();
      return false;
    };
    const signal = await sendAbort(rolloutId, said, { ledger: opened.ledger, endWaiting });
    expect(signal).toMatchObject({ kind: 'abort', wave: null, ...said });
    expect((await opened.ledger.read(rolloutId)).signals).toEqual([signal]);
  });
});
