import { expect, test } from '@jest/globals';
import type { Signal } from '../../../lib/domain/rollout/record.ts';
import { findAnswerTo } from '../../../lib/telling/story/answers.ts';
import { policyOf, signal } from '../../domain/examples.ts';
import { recordOfEnd } from '../../support/record-at.ts';
import type { Script } from '../../support/run-scenario.ts';
import { scenarioNow } from '../../support/scenario-time.ts';

const { verify } = policyOf();
const asks: Script = {
  policy: {
    verify: { ...verify, approval: { timeoutSeconds: 7_200, onTimeout: 'reject' } },
  },
};
const stuck: Script = { broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }] };

/** What became of what people said, at these seconds. */
async function answersTo(script: Script, said: readonly (readonly [number, Signal])[]) {
  const record = await recordOfEnd({
    ...script,
    async beside(stage) {
      for (const [second, one] of said) {
        await stage.until(second);
        await stage.ledger.signal('rollout-1', { ...one, at: scenarioNow() });
      }
    },
  });
  const before = { ...record, events: [], outcome: null };
  for (const one of record.signals) expect(findAnswerTo(one, before)).toBeNull();
  return record.signals.map((one) => {
    const answer = findAnswerTo(one, record);
    return [one.kind, answer?.isHeard, answer?.event.kind];
  });
}

test.each<[string, Script, (readonly [number, Signal])[], unknown[]]>([
  ['an abort', {}, [[30, signal('abort')]], [['abort', true, 'failing']]],
  [
    'an approval, and an abort after it',
    asks,
    [
      [1_000, signal('approve')],
      [1_400, signal('abort')],
    ],
    [
      ['approve', true, 'wave-started'],
      ['abort', true, 'failing'],
    ],
  ],
  ['a rejection', asks, [[1_000, signal('reject')]], [['reject', true, 'failing']]],
  [
    'an approval that an abort outranks',
    asks,
    [
      [1_000, signal('approve')],
      [1_000, signal('abort')],
    ],
    [
      ['approve', false, 'failing'],
      ['abort', true, 'failing'],
    ],
  ],
  [
    'a promotion of a wave whose endpoints do not get there',
    stuck,
    [[30, signal('promote')]],
    [['promote', false, 'failing']],
  ],
])('%s is answered by what the rollout does then', async (_, script, said, answers) => {
  expect(await answersTo(script, said)).toEqual(answers);
});
