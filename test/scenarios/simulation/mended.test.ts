import { expect, test } from '@jest/globals';
import { MENDED } from './mended.ts';
import { QUIET } from './quiet.ts';
import { tryOrdeal } from './try-ordeal.ts';

test.each(MENDED)('nobody objects any more: %s', async (_, drawn) => {
  await expect(tryOrdeal({ ...QUIET, ...drawn })).resolves.toBeDefined();
});
