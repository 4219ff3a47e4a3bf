type Json = Readonly<Record<string, unknown>>;

/** Fields of each type of state that AWS and the embedded engine run alike. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Task: [
    'Resource',
    'Parameters',
    'TimeoutSeconds',
    'ResultPath',
    'OutputPath',
    'Retry',
    'Catch',
    'Next',
    'End',
  ],
  Map: ['ItemsPath', 'MaxConcurrency', 'ItemProcessor', 'ResultPath', 'Catch', 'Next', 'End'],
  Choice: ['Choices', 'Default'],
  Wait: ['Seconds', 'SecondsPath', 'Next', 'End'],
  Pass: ['Parameters', 'Next', 'End'],
  Succeed: [],
  Fail: ['Error', 'ErrorPath', 'CausePath'],
};
const MACHINE_FIELDS = ['Comment', 'StartAt', 'States', 'TimeoutSeconds'];
const PROCESSOR_FIELDS = ['ProcessorConfig', 'StartAt', 'States'];
const CHOICE_FIELDS = ['Variable', 'StringEquals', 'Next'];
const RETRY_FIELDS = [
  'ErrorEquals',
  'IntervalSeconds',
  'BackoffRate',
  'MaxAttempts',
  'MaxDelaySeconds',
  'JitterStrategy',
];
const CATCH_FIELDS = ['ErrorEquals', 'ResultPath', 'Next'];

/** The state itself, a field of it, and of the context object what the execution is, and its state machine. */
const PATH =
  /^(\$|\$(\.[A-Za-z]+)+|\$\$\.Execution\.(Id|Name|StartTime|Input)|\$\$\.StateMachine\.Id)$/;

/**
 * What a definition uses beyond the subset of Amazon States Language that Step Functions and the
 * embedded engine run alike. Everything that is not listed is refused: JSONata, Assign, Heartbeat,
 * Parallel, intrinsic functions, `IsPresent` and the context object of a Map's item among it.
 */
export function beyondCommonSubset(machine: Json): string[] {
  return [...unknownKeys('the machine', machine, MACHINE_FIELDS), ...faultsOfStates(machine)];
}

function faultsOfStates({ States }: Json): string[] {
  return entries(States).flatMap(([name, state]) => faultsOfState(name, state as Json));
}

function faultsOfState(name: string, state: Json): string[] {
  const fields = FIELDS[String(state.Type)];
  if (fields === undefined) return [`${name}: a state of type ${state.Type}`];
  const processor = state.ItemProcessor as Json | undefined;
  return [
    ...unknownKeys(name, state, ['Type', 'Comment', ...fields]),
    ...listOf(state.Choices).flatMap((one) => unknownKeys(name, one, CHOICE_FIELDS)),
    ...listOf(state.Retry).flatMap((one) => unknownKeys(name, one, RETRY_FIELDS)),
    ...listOf(state.Catch).flatMap((one) => unknownKeys(name, one, CATCH_FIELDS)),
    ...faultsOfPaths(name, state),
    ...(processor === undefined ? [] : faultsOfProcessor(name, processor)),
  ];
}

function faultsOfProcessor(name: string, processor: Json): string[] {
  const { Mode, ...rest } = processor.ProcessorConfig as Json;
  const isInline = Mode === 'INLINE' && entries(rest).length === 0;
  return [
    ...unknownKeys(name, processor, PROCESSOR_FIELDS),
    ...(isInline ? [] : [`${name}: a Map that is not inline`]),
    ...faultsOfStates(processor),
  ];
}

/** Every value that the engines read as a path: fields named so, `Variable`, and `x.$` parameters. */
function faultsOfPaths(name: string, state: Json): string[] {
  return entries(state).flatMap(([key, value]) => {
    if (key === 'ItemProcessor') return [];
    if (Array.isArray(value)) return listOf(value).flatMap((one) => faultsOfPaths(name, one));
    if (typeof value === 'object' && value !== null) return faultsOfPaths(name, value as Json);
    const isPath = /Path$|\.\$$|^Variable$/.test(key) && value !== null;
    return isPath && !PATH.test(String(value)) ? [`${name}: ${key} is ${value}`] : [];
  });
}

function unknownKeys(name: string, value: Json, known: readonly string[]): string[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${name}: the field ${key}`);
}

function entries(value: unknown): [string, unknown][] {
  return Object.entries((value ?? {}) as Json);
}

function listOf(value: unknown): Json[] {
  return (Array.isArray(value) ? value : []).filter((one) => typeof one === 'object');
}
