import { POSITION_VERSION } from '../../lib/contract/flow/position.ts';
import { isOurs } from '../../lib/domain/error-meanings.ts';
import { aws } from './run.ts';

interface State {
  readonly Type: string;
  readonly Next?: string;
  readonly Choices?: readonly {
    readonly Variable?: string;
    readonly StringEquals?: string;
    readonly Next: string;
  }[];
}

/** A position that no ledger knows: a function that is called with it refuses it, under the name of its error. */
const POSITION = {
  ...{ schemaVersion: POSITION_VERSION, rolloutId: 'no-such-rollout', runtimeId: 'shop', epoch: 1 },
  ...{ direction: 'forward', wave: 0, looks: 0, next: 'close', waitSeconds: 1, oldEndpoints: 0 },
  ...{ batches: [], ending: null, onFailure: 'hold', outcome: 'Succeeded' },
  execution: { number: 1, startedAt: 0, events: 0 },
};

interface Tried {
  readonly name: string;
  readonly input: object;
  /** Where it has to lead, or that it calls a function, which refuses the position. */
  readonly next: string | typeof REFUSES;
}

const REFUSES = Symbol('refuses');

/**
 * What is tried of each state: every word of a choice, every wait, and every function that gets a position. What reads the
 * execution itself, the Maps and the ends are tried by the rollouts.
 */
export function whatToTry(states: Readonly<Record<string, State>>): readonly Tried[] {
  return Object.entries(states).flatMap(([name, state]): readonly Tried[] => {
    const { Type, Next, Choices = [] } = state;
    if (Type === 'Wait' && Next !== undefined) return [{ name, input: POSITION, next: Next }];
    if (Type === 'Task') {
      return JSON.stringify(state).includes('$$.')
        ? []
        : [{ name, input: POSITION, next: REFUSES }];
    }
    return Choices.flatMap(({ Variable, StringEquals, ...choice }) =>
      Variable === undefined
        ? []
        : [{ name, input: { ...POSITION, [Variable.slice(2)]: StringEquals }, next: choice.Next }],
    );
  });
}

/** Tries the states of the deployed definition with TestState. @throws with those that lead elsewhere. */
export async function testStates(stateMachineArn: string): Promise<string> {
  const args = ['--state-machine-arn', stateMachineArn];
  const { definition, roleArn } = await aws('stepfunctions', 'describe-state-machine', ...args);
  const states: Readonly<Record<string, State>> = JSON.parse(definition).States;
  const tried = whatToTry(states);
  const faults: string[] = [];
  for (const { name, input, next } of tried) {
    const found = await aws(
      ...['stepfunctions', 'test-state', '--role-arn', roleArn],
      ...['--definition', JSON.stringify(states[name]), '--input', JSON.stringify(input)],
    );
    // A crash has a name of Lambda's, and an error of ours must keep its own.
    const isRight = next === REFUSES ? isOurs(found.error ?? '') : found.nextState === next;
    if (!isRight) faults.push(`${name}: ${found.error ?? found.nextState ?? found.status}`);
  }
  if (faults.length > 0) throw new Error(faults.join('; '));
  return `${tried.length} tries of ${new Set(tried.map(({ name }) => name)).size} states`;
}
