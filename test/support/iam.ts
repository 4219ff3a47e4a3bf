/** A statement of a policy, as IAM reads it: without tokens. */
export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, Values>>>>;
}
type Values = string | readonly string[];

export interface IamRequest {
  readonly action: string;
  readonly resource: string;
  /** The context keys of the request, by their names in small letters. A key that the request lacks is not there. */
  readonly context: Readonly<Record<string, readonly string[]>>;
}

/** Whether policies allow a request, as IAM decides it: some statement allows it, and none denies it. */
export function isAllowed(statements: readonly Statement[], request: IamRequest): boolean {
  const effects = statements
    .filter((statement) => matches(statement, request))
    .map(({ Effect }) => Effect);
  return effects.includes('Allow') && !effects.includes('Deny');
}

function matches({ Action, Resource, Condition = {} }: Statement, request: IamRequest): boolean {
  return (
    [Action].flat().some((one) => isLike(request.action.toLowerCase(), one.toLowerCase())) &&
    [Resource].flat().some((one) => isLike(request.resource, one)) &&
    Object.entries(Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, wanted]) =>
        isMet(operator, request, key.toLowerCase(), [wanted].flat()),
      ),
    )
  );
}

const OPERATORS: Readonly<Record<string, (value: string, wanted: string) => boolean>> = {
  StringEquals: (value, wanted) => value === wanted,
  StringLike: isLike,
  ArnLike: isLike,
  ArnEquals: isLike,
};

/** @throws for an operator that nobody has needed yet: what is not understood must not pass. */
function isMet(
  said: string,
  { context }: IamRequest,
  key: string,
  wanted: readonly string[],
): boolean {
  const [, set, name = ''] = /^(?:(ForAllValues|ForAnyValue):)?(\w+)$/.exec(said) ?? [];
  const compare = OPERATORS[name];
  if (compare === undefined) throw new Error(`Nobody evaluates ${said} here yet`);
  const values = context[key];
  const isOne = (value: string) => wanted.some((one) => compare(value, fill(one, context)));
  // Without the key, all of its values meet the condition: so says IAM.
  if (set === 'ForAllValues') return (values ?? []).every(isOne);
  return values?.some(isOne) ?? false;
}

/** Policy variables, such as `${aws:userid}`. One that the request lacks matches nothing. */
function fill(wanted: string, context: IamRequest['context']): string {
  return wanted.replaceAll(
    /\$\{([\w:]+)\}/g,
    (_, key: string) => context[key.toLowerCase()]?.[0] ?? '\0',
  );
}

function isLike(value: string, pattern: string): boolean {
  const parts = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${parts.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's').test(value);
}
