import { ErrorName, SteprollError } from '../lib/domain/errors.ts';

type Payload = Readonly<Record<string, unknown>>;

/**
 * A Lambda handler: opens what the function works with at its first event, keeps it for the next ones,
 * and hands each event on. What is thrown is thrown on: Lambda reports its name as the error's type,
 * which the workflow matches. The event is never logged.
 */
export function createHandler<Context>(
  open: () => Context,
  handle: (payload: Payload, context: Context) => Promise<unknown>,
): (event: unknown) => Promise<unknown> {
  let context: Context | undefined;
  return async (event) => {
    if (!isObject(event)) {
      throw new SteprollError(ErrorName.InvalidInput, 'The event must be a JSON object.');
    }
    context ??= open();
    return handle(event, context);
  };
}

function isObject(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
