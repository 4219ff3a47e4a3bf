import { expect, test } from '@jest/globals';
import { retry } from '../../../lib/cli/rollout/retry.ts';
import { completePolicy } from '../../../lib/contract/config/policy.ts';
import { parseRolloutInput } from '../../../lib/contract/flow/rollout-input.ts';
import { leftAfter, nextStepsAfter } from '../../../lib/telling/story/next-steps.ts';
import { recordOf } from '../../domain/examples.ts';

const LOCKED = { outcome: 'Refused', reason: 'PolicyLocked', message: 'Locked.' } as const;

test('what was refused before its policy was known is not asked for again by another policy', async () => {
  const record = recordOf();
  const refused = {
    ...record,
    request: { ...record.request, policy: null },
    outcome: { ...LOCKED, cleanup: 'none' },
  } as const;

  await expect(retry(refused, {} as never, {} as never)).rejects.toMatchObject({
    name: 'NothingToRetry',
    message: expect.stringContaining('start it again with the options that you want'),
  });
});

test.each([true, false])('whether its policy is known decides if it is offered: %s', (isKnown) => {
  const record = recordOf();
  const { policy } = record.request;
  const request = { ...record.request, policy: isKnown ? policy : null };
  const outcome = { ...LOCKED, cleanup: 'none' } as const;
  const left = leftAfter({ ...record, plan: null, request, outcome });

  expect(nextStepsAfter(outcome, left)).toEqual(isKnown ? ['start-again'] : []);
});

test('whatever its policy says can be asked for again, attributes too', async () => {
  const where = { tier: 'internal' };
  const selection = { names: [], ids: [], exclude: [], where };
  const said = { selection, protect: [{ where }], waves: [{ where }, { percent: 100 }] };
  const failed = {
    ...recordOf([], completePolicy(said)),
    outcome: { outcome: 'Failed', reason: 'Stalled', message: 'Stalled.', cleanup: 'none' },
  } as const;

  const { input } = await retry(failed, {} as never, {} as never);

  expect(parseRolloutInput(JSON.parse(JSON.stringify(input))).policy).toMatchObject(said);
});
