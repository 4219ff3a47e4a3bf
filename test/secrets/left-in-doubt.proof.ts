import { test } from '@jest/globals';
import { startHostileService } from './hostile-service.ts';
import { expectNoneInLedger } from './ledger-of-failure.ts';

// What is in doubt is waited for, a minute at the least.
test('the ledger of a rollout whose rolls are left in doubt with the header in the answer holds no secret', async () =>
  expectNoneInLedger(await startHostileService(), '500 that'));
