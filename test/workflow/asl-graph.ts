/** A state of the definition, as far as the tests look into it. */
export interface State {
  readonly Type: string;
  readonly Next?: string;
  readonly End?: boolean;
  readonly Default?: string;
  readonly Choices?: readonly {
    readonly Next: string;
    readonly Variable?: string;
    readonly StringEquals?: string;
  }[];
  readonly Retry?: readonly {
    readonly ErrorEquals: readonly string[];
    readonly MaxAttempts: number;
  }[];
  readonly Catch?: readonly { readonly ErrorEquals: readonly string[]; readonly Next: string }[];
  readonly ItemProcessor?: Machine;
  readonly TimeoutSeconds?: number;
  readonly Resource?: string;
  readonly Parameters?: { readonly [field: string]: unknown };
}

export interface Machine {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State>>;
}

/** The machine and those inside its Maps. */
export function machinesOf(machine: Machine): Machine[] {
  const inner = Object.values(machine.States).flatMap(({ ItemProcessor }) =>
    ItemProcessor === undefined ? [] : machinesOf(ItemProcessor),
  );
  return [machine, ...inner];
}

/** Every state, those inside the Maps included. */
export function allStates(machine: Machine): [string, State][] {
  return machinesOf(machine).flatMap(({ States }) => Object.entries(States));
}

/** Where a state may go, errors that it catches included. */
export function successorsOf({ Next, Default, Choices = [], Catch = [] }: State): string[] {
  const ways = [Next, Default, ...[...Choices, ...Catch].map((way) => way.Next)];
  return ways.filter((way) => way !== undefined);
}

/** Every state that can be reached from these, themselves included, without passing `barrier`. */
export function reachableFrom(
  { States }: Machine,
  starts: readonly string[],
  barrier?: string,
): Set<string> {
  const reached = new Set<string>();
  const queue = [...starts];
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const state = States[name];
    if (reached.has(name) || name === barrier || state === undefined) continue;
    reached.add(name);
    queue.push(...successorsOf(state));
  }
  return reached;
}
