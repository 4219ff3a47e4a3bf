// Some values are known only where a stack is deployed, for example the ARN of a secret that the same app creates. They
// have variables of their own in a function's environment. The settings and the files beside the code refer to them.

/** Stands in JSON for the value of a variable. Nothing else that is written there has this key. */
export interface LateValue {
  readonly fromEnvironment: string;
}

/** The name of the variable of a late value: the first, the second and so on of a function. */
export function lateValue(index: number): LateValue {
  return { fromEnvironment: `VALUE_${index + 1}` };
}

/** JSON keeps quotes within texts apart by a backslash, so that no text looks like this. */
const REFERENCE = /\{"fromEnvironment":"(VALUE_\d+)"\}/g;

/** JSON with the values of the environment in the place of what stands for them. Nothing of it is checked yet. */
export function fillIn(
  json: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  return json.replaceAll(REFERENCE, (_, name: string) => JSON.stringify(environment[name] ?? null));
}
