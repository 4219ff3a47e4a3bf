import { expect, test } from '@jest/globals';
import { ACQUITTED } from './acquitted.ts';
import { QUIET } from './quiet.ts';
import { tryOrdeal } from './try-ordeal.ts';

test.each(ACQUITTED)('nobody objects: %s', async (_, drawn) => {
  await expect(tryOrdeal({ ...QUIET, ...drawn })).resolves.toBeDefined();
});
