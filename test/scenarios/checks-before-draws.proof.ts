import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CheckAnswer } from '../../lib/gates/check-answer.ts';
import { type CheckQuestion, checks as gate } from '../../lib/gates/checks.ts';
import { isWrite } from '../../lib/rehearsal/calls.ts';
import { isRollBack } from '../support/read-evidence.ts';
import { type Run, runScenario } from '../support/run-scenario.ts';
import { scenarioNow } from '../support/scenario-time.ts';
import { ordeal } from './simulation/draw-ordeal.ts';
import type { Ordeal } from './simulation/ordeal.ts';
import { onItsService, toScript } from './simulation/to-script.ts';

// Whatever else goes wrong in a rollout, nothing is written without the yes that it has to wait for.

const ANSWERS: Readonly<Record<string, CheckAnswer>> = {
  yes: { verdict: 'pass', detail: 'SUCCEEDED' },
  no: { verdict: 'fail', detail: 'FAILED' },
  silent: { verdict: 'unknown', detail: '502, which is no answer' },
  busy: { verdict: 'unknown', detail: 'IN_PROGRESS', askAgainIn: 20 },
};
type Word = keyof typeof ANSWERS;

/** What a check says at each of its attempts, and from then on the last of it. */
const words = fc
  .record({
    first: fc.array(fc.constantFrom<Word>('silent', 'busy', 'busy'), { maxLength: 5 }),
    last: fc.constantFrom<Word>('yes', 'yes', 'yes', 'yes', 'yes', 'no', 'silent', 'busy'),
  })
  .map(({ first, last }) => [...first, last]);

const drawnChecks = fc.record({
  rollout: fc.option(words),
  waves: fc.array(words, { minLength: 1, maxLength: 4 }),
  deadlineSeconds: fc.constantFrom(60, 600, 3_600),
});

interface Asked extends Pick<CheckQuestion, 'when' | 'wave' | 'attemptId'> {
  readonly at: number;
  readonly word: Word;
}

async function go(drawn: Ordeal, { rollout, waves, deadlineSeconds }: Drawn) {
  const asked: Asked[] = [];
  const url = 'https://checks.example.com';
  const said = gate.schema.parse([
    ...(rollout === null ? [] : [{ name: 'r', url, deadlineSeconds, when: 'before-rollout' }]),
    { name: 'w', url, deadlineSeconds, when: 'before-wave' },
  ]);
  const run = await onItsService(drawn, () => {
    const script = toScript(drawn);
    const verify = { ...(script.policy?.verify ?? drawn.policy.verify), checks: said };
    return runScenario({
      ...script,
      policy: { ...script.policy, verify },
      gates: {
        ...script.gates,
        async check(_, { when, wave, attempt, attemptId }) {
          const own = when === 'before-rollout' ? rollout : waves[(wave - 1) % waves.length];
          const word = own?.at(Math.min(attempt, own.length) - 1) ?? 'yes';
          asked.push({ when, wave, attemptId, word, at: scenarioNow() });
          return ANSWERS[word] as CheckAnswer;
        },
      },
    });
  });
  return { run, asked };
}

type Drawn = typeof drawnChecks extends fc.Arbitrary<infer T> ? T : never;

/** The first roll of each wave on the way forward, by 1-based wave. */
function firstRolls({ calls, record, turnedAt }: Run): ReadonlyMap<number, number> {
  const { plan = null } = record ?? {};
  const began = new Map<number, number>();
  for (const call of calls) {
    if (!isWrite(call) || call.operation !== 'roll' || record === null || plan === null) continue;
    if (isRollBack(call, record, turnedAt)) continue;
    const place = plan.endpoints.findIndex(({ endpointId }) => endpointId === call.endpointId);
    const wave = plan.waves.findIndex(({ to }) => place < to) + 1;
    if (!began.has(wave)) began.set(wave, call.at);
  }
  return began;
}

function objections(run: Run, asked: readonly Asked[], { rollout }: Drawn): string[] {
  const repeats = [...Map.groupBy(asked, ({ attemptId }) => attemptId).entries()].filter(
    ([, same]) => new Set(same.map(({ word }) => word)).size > 1,
  );
  return [
    ...repeats.map(([id]) => `two questions are ${id}`),
    ...[...firstRolls(run)].flatMap(([wave, at]) => {
      const before = asked.filter((one) => one.at <= at);
      const ofWave = before.filter((one) => one.when === 'before-wave' && one.wave === wave);
      const ofRollout = before.filter((one) => one.when === 'before-rollout');
      return [
        ...(ofWave.at(-1)?.word === 'yes' ? [] : [`wave ${wave} began without its yes`]),
        ...(rollout === null || ofRollout.at(-1)?.word === 'yes'
          ? []
          : ['it began without the yes that it waits for']),
      ];
    }),
  ];
}

const ROLLOUTS = 150;

test('whatever goes wrong, no wave begins without the yes of its check', async () => {
  const met = { begun: 0, refused: 0, waited: 0, later: 0 };
  await fc.assert(
    fc.asyncProperty(ordeal, drawnChecks, async (drawn, checks) => {
      const { run, asked } = await go(drawn, checks);
      expect(objections(run, asked, checks)).toEqual([]);
      const began = firstRolls(run);
      met.begun += Number(began.size > 0);
      met.later += Number(began.size > 1);
      met.refused += Number(asked.some(({ word }) => word === 'no'));
      met.waited += Number(began.size > 0 && asked.some(({ word }) => word === 'busy'));
    }),
    { numRuns: ROLLOUTS, seed: 5 },
  );
  // What is drawn and never met would prove nothing.
  for (const count of Object.values(met)) expect(count).toBeGreaterThan(ROLLOUTS / 20);
});
