/** The definition does not fit the data. No state can retry or catch that. */
export class RuntimeFault extends Error {
  override readonly name = 'States.Runtime';
}

export type PathRead = (input: unknown, context: unknown) => unknown;

/** Reads paths like `$`, `$.next`, `$.handOver.executionName` and `$$.Execution.Name`. */
export function compilePath(path: unknown): PathRead {
  const [, root, rest = ''] = /^(\$\$?)((?:\.\w+)*)$/.exec(String(path)) ?? [];
  if (root === undefined) throw new Error(`The interpreter cannot read the path ${path}`);
  const fields = rest.split('.').slice(1);
  return (input, context) => {
    let value = root === '$' ? input : context;
    for (const field of fields)
      value = (value as Readonly<Record<string, unknown>> | null)?.[field];
    if (value === undefined) throw new RuntimeFault(`There is nothing at ${path}`);
    return value;
  };
}

/** Fields whose names end in `.$` are paths. */
export function compileTemplate(template: unknown): PathRead {
  if (typeof template !== 'object' || template === null) return () => template;
  if (Array.isArray(template)) throw new Error('The interpreter knows no lists of parameters');
  const fields = Object.entries(template).map(([key, value]): [string, PathRead] =>
    key.endsWith('.$') ? [key.slice(0, -2), compilePath(value)] : [key, compileTemplate(value)],
  );
  return (input, context) =>
    Object.fromEntries(fields.map(([key, read]) => [key, read(input, context)]));
}

/** `null` drops the result; `$.error` puts it there; without a path the result is the output. */
export function compileResultPath(path: unknown): (input: unknown, result: unknown) => unknown {
  if (path === undefined) return (_, result) => result;
  if (path === null) return (input) => input;
  const [, field] = /^\$\.(\w+)$/.exec(String(path)) ?? [];
  if (field === undefined) throw new Error(`The interpreter cannot write to the path ${path}`);
  return (input, result) => ({ ...(input as object), [field]: result });
}

/** The interpreter must not run a definition that it only half understands. */
export function allowOnly(fields: readonly string[], definition: object): void {
  const unknown = Object.keys(definition).filter((field) => !fields.includes(field));
  if (unknown.length > 0) throw new Error(`The interpreter knows no ${unknown.join(', ')}`);
}
