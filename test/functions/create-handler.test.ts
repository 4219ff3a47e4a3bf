import { beforeAll, expect, test } from '@jest/globals';
import { createHandler } from '../../functions/create-handler.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { silenceLogs } from '../support/silence-logs.ts';

beforeAll(silenceLogs);

test('the context is opened at the first event and kept', async () => {
  let opened = 0;
  const handler = createHandler(
    'list',
    () => ({ number: ++opened }),
    async (payload, context) => [payload, context.number],
  );
  expect(opened).toBe(0);
  expect(await handler({ a: 1 })).toEqual([{ a: 1 }, 1]);
  expect(await handler({ a: 2 })).toEqual([{ a: 2 }, 1]);
});

test('a context that could not be opened is tried again with the next event', async () => {
  let opened = 0;
  const handler = createHandler(
    'list',
    () => {
      opened += 1;
      if (opened === 1) throw new SteprollError(ErrorName.InvalidInput, 'no table');
    },
    async () => opened,
  );
  await expect(handler({})).rejects.toMatchObject({ name: 'InvalidInput' });
  expect(await handler({})).toBe(2);
});

test('what is thrown is thrown on as it is', async () => {
  const error = new SteprollError(ErrorName.LeaseLost, 'gone');
  const handler = createHandler(
    'list',
    () => null,
    async () => {
      throw error;
    },
  );
  await expect(handler({})).rejects.toBe(error);
});

test.each([null, undefined, 'text', 7, [{}]])('the event %j is refused', async (event) => {
  const handler = createHandler(
    'list',
    () => null,
    async () => 'done',
  );
  await expect(handler(event)).rejects.toMatchObject({ name: ErrorName.InvalidInput });
});
