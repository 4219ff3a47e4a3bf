import { expect, test } from '@jest/globals';
import { ACQUITTED, toOrdeal } from './corpus.ts';
import { tryOrdeal } from './try-ordeal.ts';

test.each(ACQUITTED)('nobody objects: $shows', async ({ drawn }) => {
  await expect(tryOrdeal(toOrdeal(drawn))).resolves.toBeDefined();
});
