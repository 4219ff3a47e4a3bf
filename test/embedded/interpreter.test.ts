import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { WAIT_STATES } from '../../lib/domain/rollout/wait.ts';
import type { WorkflowEngine } from '../../lib/embedded/engine.ts';
import { createInterpreter } from '../../lib/embedded/interpreter/engine.ts';
import { compileMachine } from '../../lib/embedded/interpreter/machine.ts';
import { createVirtualTime } from '../../lib/rehearsal/virtual-time.ts';
import { ROLLOUT_DEFINITION } from '../../lib/workflow/definition.ts';
import { FAKE_TIME, inFakeTime } from '../support/fake-timers.ts';
import { runInLocalStepFunctions } from '../support/local-step-functions.ts';

/** The spread of the waits before a retry, for both engines. */
const HALF = 0.5;

/** More batches than the workflow hands out at once. */
const TWELVE = Array.from({ length: 12 }, (_, from) => ({
  ...{ schemaVersion: 6, rolloutId: 'r-1', runtimeId: 'shop', epoch: 1, direction: 'forward' },
  ...{ from, to: from + 1 },
}));

const fields = {
  next: fc.constantFrom(
    ...['roll', 'roll', 'contain', 'hand-over', 'close', 'odd'],
    ...WAIT_STATES.map(({ word }) => word),
  ),
  onFailure: fc.constantFrom('stop-old', 'roll-back', 'hold'),
  waitSeconds: fc.constantFrom(0, 5, 5, 300, 300, 86_400, -1, 1.5),
  batches: fc.constantFrom<readonly object[] | string>(TWELVE, TWELVE, TWELVE.slice(10), [], 'odd'),
  outcome: fc.constantFrom('Succeeded', 'Failed', 'Refused'),
  reason: fc.constantFrom('LeaseHeld', 'EmptyScope'),
  message: fc.constant('It is over.'),
  handOver: fc.constant({ executionName: 'r-2' }),
};
const answers = fc.oneof(
  { arbitrary: fc.record(fields), weight: 6 },
  { arbitrary: fc.record(fields, { requiredKeys: ['next'] }), weight: 1 },
);

const errors = fc.record({
  error: fc.constantFrom(
    'LedgerUnavailable',
    'UpstreamAuth',
    'Lambda.ServiceException',
    'Lambda.Unknown',
    'Sandbox.Timedout',
    'StepFunctions.ExecutionAlreadyExistsException',
  ),
});

/** What the tasks answer. Each task begins at its own place of the list, so that Maps are the same in any order. */
const scripts = fc.array(fc.oneof({ arbitrary: answers, weight: 5 }, errors), {
  minLength: 1,
  maxLength: 30,
});
type Script = readonly Readonly<Record<string, unknown> & { readonly error?: string }>[];

const TASKS = [
  'Open rollout',
  'Roll batch',
  'Look',
  'Turn around',
  'Stop batch',
  'Hand over',
  'Close rollout',
];

test('E02: both engines do the same at the same times, whatever the steps answer', async () => {
  const entered = new Set<string>();
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      const real = await inFakeTime(() =>
        follow(script, runInLocalStepFunctions, FAKE_TIME.seconds, sleep),
      );
      const time = createVirtualTime(Date.parse('2026-01-01T00:00:00Z'));
      const interpreter = createInterpreter({ clock: time, random: () => HALF });
      const own = await time.run(() => follow(script, interpreter, time.seconds, time.sleep));

      expect(own).toEqual(real);
      for (const [, state] of [...own.states, ...own.batchStates]) entered.add(state);
    }),
    { numRuns: 150, seed: 4 },
  );
  expect([...entered].toSorted()).toEqual(allStates(ROLLOUT_DEFINITION).toSorted());
});

const CALL_MS = 700;
/** After so many calls, without those of batches, every task answers that the rollout is over. */
const MOST_CALLS = 25;

/** What an execution does, and when. The tasks answer from the script, whatever the order of a Map's items is. */
async function follow(
  script: Script,
  engine: WorkflowEngine,
  seconds: () => number,
  wait: (milliseconds: number) => Promise<void>,
) {
  const states: Line[] = [];
  const calls: Line[] = [];
  const counts = new Map<string, number>();
  const answer = async (task: string, parameters: unknown) => {
    const call = `${task} ${JSON.stringify(parameters)}`;
    const nth = counts.get(call) ?? 0;
    counts.set(call, nth + 1);
    calls.push([seconds(), `${call} ${nth}`]);
    const isEnough = calls.filter((line) => !isOfBatch(line)).length > MOST_CALLS;
    await wait(CALL_MS);
    const place = [...call].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1009, nth);
    const { error, ...said } = isEnough ? END : (script[place % script.length] ?? END);
    if (error !== undefined) throw Object.assign(new Error(`${task} fails`), { name: error });
    return { Payload: said };
  };
  const status = await engine({
    name: 'r',
    input: { version: 2 },
    handlers: Object.fromEntries(
      TASKS.map((task) => [task, (parameters) => answer(task, parameters)]),
    ),
    onState: (state) => states.push([seconds(), state]),
  });
  return {
    status,
    seconds: seconds(),
    states: states.filter((line) => !isOfBatch(line)),
    calls: calls.filter((line) => !isOfBatch(line)),
    batchStates: states.filter(isOfBatch).toSorted(byText),
    batchCalls: calls.filter(isOfBatch).toSorted(byText),
  };
}

/** Seconds since the start, and what happened. */
type Line = readonly [number, string];

/** Batches are handed out together, so what happens at the same time has no order. */
function isOfBatch([, text]: Line): boolean {
  return /^(Roll|Stop) batch/.test(text);
}

function byText([at, text]: Line, [otherAt, other]: Line): number {
  return at - otherAt || (text < other ? -1 : 1);
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

const END: Script[number] = { next: 'close', outcome: 'Succeeded', message: 'Enough.' };

interface States {
  readonly States: Readonly<Record<string, object>>;
}

function allStates({ States }: States): string[] {
  return Object.entries(States).flatMap(([name, state]) => [
    name,
    ...('ItemProcessor' in state ? allStates(state.ItemProcessor as States) : []),
  ]);
}

test.each([
  ['a kind of state', { A: { Type: 'Parallel', End: true } }],
  ['a field of a Wait', { A: { Type: 'Wait', Seconds: 5, Next: 'B' } }],
  [
    'a kind of choice',
    { A: { Type: 'Choice', Choices: [{ Variable: '$.a', IsNull: true, Next: 'B' }] } },
  ],
  ['a path', { A: { Type: 'Wait', SecondsPath: '$.a[0]', Next: 'B' } }],
  ['a retry', { A: { Type: 'Task', Retry: [{ ErrorEquals: ['States.ALL'], MaxAttempts: 2 }] } }],
])('the interpreter refuses %s that it does not know', (_, States) => {
  expect(() => compileMachine({ StartAt: 'A', States })).toThrow(/interpreter|retry/);
});
