import { describe, expect, test } from '@jest/globals';
import validate from 'asl-validator';
import { POSITION_WORDS } from '../../lib/contract/flow/position.ts';
import { ErrorName } from '../../lib/domain/errors.ts';
import { FAILURE_POLICIES } from '../../lib/domain/rollout/policy.ts';
import { WAIT_STATES } from '../../lib/domain/rollout/wait.ts';
import { ROLLOUT_DEFINITION } from '../../lib/workflow/definition.ts';
import { integrationOf, placeholderOf, WORKFLOW_FUNCTIONS } from '../../lib/workflow/functions.ts';
import { ALREADY_STARTED } from '../../lib/workflow/retry-policies.ts';
import {
  allStates,
  type Machine,
  machinesOf,
  reachableFrom,
  type State,
  successorsOf,
} from './asl-graph.ts';

const MACHINE: Machine = ROLLOUT_DEFINITION;
const STATES = allStates(MACHINE);
const HAND_OVER = 'Hand over';
const TASKS = STATES.filter(([name, { Type }]) => Type === 'Task' && name !== HAND_OVER);

const CLOSE = 'Close rollout';
const VERDICT = 'Did it succeed?';
const WRITING = ['Roll batch', 'Stop batch'];

const THROTTLED = 'Lambda.TooManyRequestsException';
const LAMBDA_TRANSIENT = [
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  THROTTLED,
];

const BUILT_IN = [
  ...LAMBDA_TRANSIENT,
  ...['States.TaskFailed', 'States.ALL', 'States.Timeout', 'Sandbox.Timedout'],
];

/** What a function that crashed, or ran out of time, may be called. */
const CRASHES = [
  'Lambda.Unknown',
  'Runtime.ExitError',
  'Runtime.OutOfMemory',
  'Runtime.ImportModuleError',
  'Sandbox.Timedout',
  'States.Timeout',
  'TypeError',
  'Lambda.OfNextYear',
];

test('the definition is valid Amazon States Language', () => {
  // The ARNs are placeholders until a deployment puts the functions' own in.
  const options = { checkPaths: true, checkArn: false };
  const validation = validate(structuredClone(ROLLOUT_DEFINITION), options);

  expect(validation.errorsText()).toBe('');
  expect(validation.isValid).toBe(true);
});

test('every function of the workflow has its task, and no task has another', () => {
  const called = TASKS.map(([, { Parameters }]) => Parameters?.FunctionName);

  expect(called.toSorted()).toEqual(WORKFLOW_FUNCTIONS.map(placeholderOf).toSorted());
});

test('every state can be reached, and every way leads to a state', () => {
  for (const machine of machinesOf(MACHINE)) {
    const reached = reachableFrom(machine, [machine.StartAt]);
    expect([...reached].toSorted()).toEqual(Object.keys(machine.States).toSorted());
  }
});

test('no two states have the same name: the history tells them apart', () => {
  const names = STATES.map(([name]) => name);

  expect(new Set(names).size).toBe(names.length);
});

describe.each(TASKS)('the task %s', (name, task) => {
  test('has a deadline of its own and is tried again', () => {
    expect(task.TimeoutSeconds).toBeGreaterThan(0);
    expect(task.Retry?.length).toBeGreaterThan(0);
  });

  test.each([...LAMBDA_TRANSIENT, ErrorName.LedgerUnavailable])(
    'A02: is tried again on %s',
    (error) => {
      const isAway = error === THROTTLED || error === ErrorName.LedgerUnavailable;
      expect(retriesOf(task, error)).toBe(isAway && name !== 'Hand over' ? 31 : 6);
    },
  );

  test.each(Object.values(ErrorName).filter((error) => error !== ErrorName.LedgerUnavailable))(
    'is not tried again on %s, which we throw knowingly',
    (error) => {
      expect(retriesOf(task, error)).toBe(0);
    },
  );

  test('matches only errors that somebody throws', () => {
    const matchers = [...(task.Retry ?? []), ...(task.Catch ?? [])];
    for (const error of matchers.flatMap(({ ErrorEquals }) => ErrorEquals)) {
      expect([...Object.values(ErrorName), ...BUILT_IN]).toContain(error);
    }
  });

  test('catches every error, unless it is the one that closes', () => {
    const catchers = name === CLOSE ? [] : [['States.ALL']];

    expect((task.Catch ?? []).map(({ ErrorEquals }) => ErrorEquals)).toEqual(catchers);
  });
});

test.each(WRITING)('A01: %s is never run again when nobody knows what it wrote', (name) => {
  const task = new Map(STATES).get(name);

  expect(CRASHES.map((crash) => retriesOf(task, crash))).toEqual(CRASHES.map(() => 0));
  expect(task?.Catch?.map(({ ErrorEquals }) => ErrorEquals)).toEqual([['States.ALL']]);
});

test.each([...new Set(TASKS.map(([name]) => name))].filter((name) => !WRITING.includes(name)))(
  '%s only reads the service: a crash of it is tried again, whatever its name',
  (name) => {
    const task = new Map(STATES).get(name);

    // What has hung for minutes is tried once more only.
    const isHang = (name: string) => name === 'Sandbox.Timedout' || name === 'States.Timeout';
    expect(CRASHES.map((crash) => retriesOf(task, crash))).toEqual(
      CRASHES.map((crash) => (isHang(crash) ? 1 : 6)),
    );
  },
);

describe('what a step says comes next', () => {
  const { Choices = [], Default } = MACHINE.States['What now?'] ?? {};
  const ways = new Map(Choices.map((way) => [way.StringEquals, way.Next]));

  test('each word of a position has its way, and any other one ends the rollout', () => {
    expect(Choices.every(({ Variable }) => Variable === '$.next')).toBe(true);
    expect([...ways.keys(), 'close'].toSorted()).toEqual([...POSITION_WORDS].toSorted());
    expect(ways.get('roll')).toBe('Roll wave');
    expect(ways.get('contain')).toBe('What on failure?');
    expect(ways.get('hand-over')).toBe(HAND_OVER);
    expect(Default).toBe(CLOSE);
  });

  test('whoever opens an execution sees what it waits for: each kind of wait has a state', () => {
    expect(WAIT_STATES.map(({ word, state }) => [ways.get(word), state])).toEqual(
      WAIT_STATES.map(({ state }) => [state, state]),
    );
    for (const { state, step, means } of WAIT_STATES) {
      const Next = step === 'open' ? 'Open rollout' : 'Look';
      expect(MACHINE.States[state]).toEqual({
        ...{ Type: 'Wait', Comment: `Waits: ${means}.` },
        ...{ SecondsPath: '$.waitSeconds', Next },
      });
    }
    expect(new Set(WAIT_STATES.map(({ state }) => state)).size).toBe(WAIT_STATES.length);
  });

  test.each(['Open rollout', 'Look', 'Turn around'])('after %s it is asked', (name) => {
    expect(MACHINE.States[name]?.Next).toBe('What now?');
  });

  test('what was sent is waited for, and then somebody looks', () => {
    expect(MACHINE.States['Roll wave']?.Next).toBe('Wait for the roll');
  });

  test('every failure policy that does something has its way, and any other holds', () => {
    const { Choices = [], Default } = MACHINE.States['What on failure?'] ?? {};

    expect(Choices).toEqual([
      { Variable: '$.onFailure', StringEquals: 'stop-old', Next: 'Stop old endpoints' },
      { Variable: '$.onFailure', StringEquals: 'roll-back', Next: 'Turn around' },
    ]);
    expect(Default).toBe(CLOSE);
    const known: readonly (string | undefined)[] = [...FAILURE_POLICIES];
    for (const { StringEquals } of Choices) expect(known).toContain(StringEquals);
  });

  test('the way back goes through the same loop', () => {
    const reached = reachableFrom(MACHINE, ['Turn around']);

    expect(MACHINE.States['Turn around']?.Next).toBe('What now?');
    expect(reached).toContain('Roll wave');
    expect(reached).toContain('Look');
  });

  test('a bake is a wait, and then another look', () => {
    expect(MACHINE.States.Bake).toMatchObject({ Type: 'Wait', Next: 'Look' });
    expect(reachableFrom(MACHINE, ['Look'], CLOSE)).toContain('Bake');
  });
});

describe('the ends', () => {
  test('every error leads to the close, an error of a batch back to its Map', () => {
    for (const [name, state] of Object.entries(MACHINE.States)) {
      const Catch = (state.Catch ?? []).filter(({ Next }) => Next !== 'Handed over');
      expect([name, ...Catch.map(({ Next }) => Next)]).toEqual([name, ...Catch.map(() => CLOSE)]);
    }
    for (const { States } of machinesOf(MACHINE).slice(1)) {
      for (const { Next } of Object.values(States).flatMap(({ Catch = [] }) => Catch)) {
        expect(States[Next]).toMatchObject({ Type: 'Pass', End: true });
      }
    }
  });

  test('no error ends as a success: from a catch, every way leads to the verdict or to a Fail', () => {
    const caught = Object.values(MACHINE.States).flatMap(({ Catch = [] }) => Catch);
    const ends = caught.map(({ Next }) => Next).filter((next) => next !== 'Handed over');
    const reached = reachableFrom(MACHINE, ends, VERDICT);

    expect(reached).toContain(CLOSE);
    for (const name of reached) expect(isEnd(MACHINE.States[name])).toBe(false);
  });

  test('nothing ends without the verdict, unless it goes on in the next execution', () => {
    const reached = reachableFrom(MACHINE, [MACHINE.StartAt], VERDICT);
    const ends = [...reached].filter((name) => isEnd(MACHINE.States[name]));

    expect(ends).toEqual(['Handed over']);
    const before = Object.entries(MACHINE.States).filter(([, state]) =>
      successorsOf(state).includes('Handed over'),
    );
    expect(before.map(([name]) => name)).toEqual([HAND_OVER]);
  });

  test('the verdict is a success for the outcome Succeeded alone', () => {
    const { Choices = [], Default = '' } = MACHINE.States[VERDICT] ?? {};

    expect(Choices).toEqual([
      { Variable: '$.next', StringEquals: 'contain', Next: 'What on failure?' },
      { Variable: '$.outcome', StringEquals: 'Succeeded', Next: 'Rollout succeeded' },
      { Variable: '$.outcome', StringEquals: 'Refused', Next: 'Rollout refused' },
    ]);
    expect(MACHINE.States['Rollout succeeded']?.Type).toBe('Succeed');
    // Whoever waits for a rollout that was refused must not go on, and learns why.
    expect(MACHINE.States['Rollout refused']).toMatchObject({
      ...{ Type: 'Fail', ErrorPath: '$.reason', CausePath: '$.message' },
    });
    expect(MACHINE.States[Default]?.Type).toBe('Fail');
  });
});

describe('the hand-over', () => {
  const task = MACHINE.States[HAND_OVER];

  test('A06: starts the next execution of this very state machine, under the name that was given', () => {
    expect(task).toMatchObject({
      Resource: integrationOf('states:startExecution'),
      Parameters: {
        'StateMachineArn.$': '$$.StateMachine.Id',
        'Name.$': '$.handOver.executionName',
        Input: { schemaVersion: 1, 'position.$': '$' },
      },
    });
  });

  test('A06: one that was started already is that very one, and is not started again', () => {
    expect(retriesOf(task, ALREADY_STARTED)).toBe(0);
    expect(task?.Catch?.[0]).toMatchObject({ ErrorEquals: [ALREADY_STARTED], Next: 'Handed over' });
  });

  test('A02: whatever else keeps it from starting is tried again, and ends the rollout at last', () => {
    for (const error of ['StepFunctions.SdkClientException', 'States.Timeout']) {
      expect(retriesOf(task, error)).toBe(6);
    }
    expect(task?.Catch?.[1]).toMatchObject({ ErrorEquals: ['States.ALL'], Next: CLOSE });
  });
});

test('a poll is 3 transitions: wait, look, choose', () => {
  const turn = ['Wait for the roll'];
  for (let name: string | undefined = turn[0]; name !== undefined; ) {
    const { Next, Choices = [] }: Partial<State> = MACHINE.States[name] ?? {};
    const again = Choices.find(({ StringEquals }) => StringEquals === 'look-roll')?.Next;
    name = Next ?? again;
    if (name === turn[0] || turn.length > 9) break;
    if (name !== undefined) turn.push(name);
  }

  expect(turn).toEqual(['Wait for the roll', 'Look', 'What now?']);
});

/** How often a task runs once more after an error: the first retrier that fits is the one that counts. */
function retriesOf(task: State | undefined, error: string): number {
  const isTaskFailed = error !== 'States.Timeout';
  const retrier = task?.Retry?.find(
    ({ ErrorEquals }) =>
      ErrorEquals.includes(error) || (isTaskFailed && ErrorEquals.includes('States.TaskFailed')),
  );
  return retrier?.MaxAttempts ?? 0;
}

function isEnd(state: State | undefined): boolean {
  return state === undefined || state.End === true || /^(Succeed|Fail)$/.test(state.Type);
}
