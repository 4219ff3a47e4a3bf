import { ErrorName } from '../domain/errors.ts';
import type { FailurePolicy } from '../domain/rollout/policy.ts';
import { WAIT_STATES, WAITS } from '../domain/rollout/wait.ts';
import {
  integrationOf,
  placeholderOf,
  TASK_TIMEOUT_SECONDS,
  type WorkflowFunction,
} from './functions.ts';
import {
  ALREADY_STARTED,
  READING_STEP_RETRY,
  STARTING_STEP_RETRY,
  WRITING_STEP_RETRY,
} from './retry-policies.ts';

const OPEN = 'Open rollout';
const LOOK = 'Look';
const CLOSE = 'Close rollout';
const WHAT_NOW = 'What now?';
const HAND_OVER = 'Hand over';
const HAND_OVER_TIMEOUT_SECONDS = 30;
const LONGEST_EXECUTION_SECONDS = 14 * 24 * 3600;

/** An error of a step always ends the rollout in the same way: the outcome is written, and then the execution fails. */
const CATCH_ALL = [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: CLOSE }];

const CONTAIN = 'What on failure?';

/** Where each word in `$.next` leads. */
const WAYS: Readonly<Record<string, string>> = {
  roll: 'Roll wave',
  ...Object.fromEntries(WAIT_STATES.map(({ word, state }) => [word, state])),
  contain: CONTAIN,
  'hand-over': HAND_OVER,
};

/** A state for each kind of wait, so that whoever opens an execution sees what it waits for. */
const WAITING = Object.fromEntries(
  WAIT_STATES.map(({ state, step, means }) => [
    state,
    {
      Type: 'Wait',
      Comment: `Waits: ${means}.`,
      SecondsPath: '$.waitSeconds',
      Next: step === 'open' ? OPEN : LOOK,
    },
  ]),
);

/** The state that does what a failure policy says. `null`: there is nothing to do. */
const CONTAINMENT_STATES: Readonly<Record<FailurePolicy, string | null>> = {
  'stop-old': 'Stop old endpoints',
  'roll-back': 'Turn around',
  hold: null,
};

/**
 * A batch whose function crashed, with the name of the error. Its cause stays in the history of the execution: the causes
 * of all batches might be more than a state can hold.
 */
const LOST_BATCH = {
  'schemaVersion.$': '$.schemaVersion',
  'rolloutId.$': '$.rolloutId',
  'runtimeId.$': '$.runtimeId',
  'epoch.$': '$.epoch',
  'direction.$': '$.direction',
  'from.$': '$.from',
  'to.$': '$.to',
  'lost.$': '$.error.Error',
} as const;

/**
 * The rollout, as data. AWS Step Functions and the embedded engine run this same definition, so it uses only features
 * that both run in the same way (contributing/architecture.md lists them). Every step answers the position that the next
 * state reads: `$.next` says where to go, and `$.batches` says what the Maps work on.
 */
export const ROLLOUT_DEFINITION = {
  Comment: 'Rolls the endpoints of a runtime to a version, wave by wave.',
  StartAt: OPEN,
  TimeoutSeconds: LONGEST_EXECUTION_SECONDS,
  States: {
    [OPEN]: {
      Comment: 'Waits for its turn, takes the lease, reads the list twice and freezes the plan.',
      // This is the input of the execution and not of the state: after a wait for its turn, the state's input is a
      // position.
      ...call('openRollout', {
        'rolloutId.$': '$$.Execution.Name',
        'startTime.$': '$$.Execution.StartTime',
        'input.$': '$$.Execution.Input',
        'state.$': '$',
      }),
      OutputPath: '$.Payload',
      Retry: READING_STEP_RETRY,
      Catch: CATCH_ALL,
      Next: WHAT_NOW,
    },

    // Any other word ends the rollout.
    [WHAT_NOW]: {
      Type: 'Choice',
      Comment: 'Goes where the last step has decided: its output says why.',
      Choices: Object.entries(WAYS).map(([word, state]) => ({
        Variable: '$.next',
        StringEquals: word,
        Next: state,
      })),
      Default: CLOSE,
    },
    ...WAITING,

    // A group rolls its runtimes by executions of this same state machine.
    'Roll wave': {
      Comment: 'Sends the rolls of the wave that may go now, in batches, each after a look.',
      ...forEachBatch('Roll batch', 'roll', 10, WAITS.roll.state, {
        'stateMachineArn.$': '$$.StateMachine.Id',
      }),
    },
    [LOOK]: {
      Comment: 'Reads the list and asks the gates that are due, and decides.',
      ...step('look', READING_STEP_RETRY),
      Next: WHAT_NOW,
    },

    [CONTAIN]: {
      Type: 'Choice',
      Comment: 'The failure policy of the rollout: stop the old endpoints, roll back, or hold.',
      Choices: Object.entries(CONTAINMENT_STATES).flatMap(([policy, state]) =>
        state === null ? [] : [{ Variable: '$.onFailure', StringEquals: policy, Next: state }],
      ),
      Default: CLOSE,
    },
    // Batches run one after the other, because each stop depends on what the earlier ones left serving.
    'Stop old endpoints': {
      Comment: 'Stops one endpoint after the other, each after a look that shows it old.',
      ...forEachBatch('Stop batch', 'stop', 1, CLOSE),
    },

    // A rollback has a plan like the first one, and goes through the same loop.
    'Turn around': {
      Comment: 'Freezes the plan of the way back, to the versions before.',
      ...step('turnAround', READING_STEP_RETRY),
      Next: WHAT_NOW,
    },

    // An execution that comes near a limit of Step Functions starts the next one, which goes on from the same
    // position.
    [HAND_OVER]: {
      Type: 'Task',
      Comment:
        'Starts the next execution of the rollout: this one comes near a limit of Step Functions.',
      Resource: integrationOf('states:startExecution'),
      Parameters: {
        'StateMachineArn.$': '$$.StateMachine.Id',
        'Name.$': '$.handOver.executionName',
        // By the last field the console of Step Functions links the next execution to this one.
        Input: {
          schemaVersion: 1,
          'position.$': '$',
          'AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID.$': '$$.Execution.Id',
        },
      },
      TimeoutSeconds: HAND_OVER_TIMEOUT_SECONDS,
      ResultPath: null,
      Retry: STARTING_STEP_RETRY,
      Catch: [
        { ErrorEquals: [ALREADY_STARTED], ResultPath: null, Next: 'Handed over' },
        ...CATCH_ALL,
      ],
      Next: 'Handed over',
    },
    'Handed over': {
      Type: 'Succeed',
      Comment: 'The rollout goes on in the execution that handOver.executionName names.',
    },

    [CLOSE]: {
      Comment: 'Writes the outcome, sends the last event and gives back the lease.',
      ...call('closeRollout', {
        'rolloutId.$': '$$.Execution.Name',
        'input.$': '$$.Execution.Input',
        'state.$': '$',
      }),
      OutputPath: '$.Payload',
      Retry: READING_STEP_RETRY,
      Next: 'Did it succeed?',
    },
    'Did it succeed?': {
      Type: 'Choice',
      Comment: 'Only success ends the execution as succeeded.',
      Choices: [
        // A late abort is followed now: the rollout has no outcome as long as it is not closed.
        { Variable: '$.next', StringEquals: 'contain', Next: CONTAIN },
        { Variable: '$.outcome', StringEquals: 'Succeeded', Next: 'Rollout succeeded' },
        { Variable: '$.outcome', StringEquals: 'Refused', Next: 'Rollout refused' },
      ],
      Default: 'Rollout failed',
    },
    'Rollout succeeded': {
      Type: 'Succeed',
      Comment: 'Its message says what was rolled.',
    },
    // It has not begun, so whoever waits for it must not go on. The error says why it was refused.
    'Rollout refused': {
      Type: 'Fail',
      Comment: 'Nothing was rolled: it was not allowed to begin.',
      ErrorPath: '$.reason',
      CausePath: '$.message',
    },
    'Rollout failed': {
      Type: 'Fail',
      Comment: 'Do not redrive it: steproll rollout retry begins a new rollout.',
      Error: ErrorName.RolloutFailed,
      CausePath: '$.message',
    },
  },
} as const;

function step<Retry>(name: WorkflowFunction, retry: Retry) {
  return {
    ...call(name, { 'position.$': '$' }),
    OutputPath: '$.Payload',
    Retry: retry,
    Catch: CATCH_ALL,
  } as const;
}

/**
 * Hands each batch to a function and goes on with the same position, in which a batch that was lost says by which error.
 * The ledger has the result of each batch, and the next read of the list shows what a lost one did.
 */
function forEachBatch(
  stateName: string,
  name: WorkflowFunction,
  maxConcurrency: number,
  next: string,
  more: Readonly<Record<string, string>> = {},
) {
  const lost = `${stateName} lost`;
  return {
    Type: 'Map',
    ItemsPath: '$.batches',
    MaxConcurrency: maxConcurrency,
    ItemProcessor: {
      ProcessorConfig: { Mode: 'INLINE' },
      StartAt: stateName,
      States: {
        [stateName]: {
          ...call(name, { 'batch.$': '$', ...more }),
          ResultPath: null,
          Retry: WRITING_STEP_RETRY,
          Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: lost }],
          End: true,
        },
        [lost]: { Type: 'Pass', Parameters: LOST_BATCH, End: true },
      },
    },
    // They are the same batches, and those that were lost say so.
    ResultPath: '$.batches',
    Catch: CATCH_ALL,
    Next: next,
  } as const;
}

/**
 * Calls a function. The placeholder of its name is filled in where the definition is deployed, by
 * `constructs/flow/state-machine.ts`. The embedded engine never reads it: `embedded/run-workflow.ts` runs the step that
 * belongs to the state.
 */
function call(name: WorkflowFunction, payload: Readonly<Record<string, string>>) {
  return {
    Type: 'Task',
    Resource: integrationOf('lambda:invoke'),
    Parameters: { FunctionName: placeholderOf(name), Payload: payload },
    TimeoutSeconds: TASK_TIMEOUT_SECONDS[name],
  } as const;
}
