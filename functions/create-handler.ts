import type { Context as LambdaContext } from 'aws-lambda';
import { createObserver, type Observer } from '../lib/adapters/lambda/telemetry.ts';
import { ErrorName, SteprollError } from '../lib/domain/errors.ts';

type Payload = Readonly<Record<string, unknown>>;

/**
 * A Lambda handler: opens the function's context at its first event, keeps it for later ones, and passes each event
 * on. Errors are thrown on: Lambda reports their name as the error's type, and the workflow matches it.
 *
 * @param operation Name of the function's work in logs and metrics.
 */
export function createHandler<Context>(
  operation: string,
  open: () => Context | Promise<Context>,
  handle: (payload: Payload, context: Context) => Promise<unknown>,
): (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown> {
  let observe: Observer | undefined;
  let context: Context | undefined;
  return async (event, lambdaContext) => {
    observe ??= createObserver(operation);
    return observe({ event, context: lambdaContext }, async () => {
      if (!isObject(event)) {
        throw new SteprollError(ErrorName.InvalidInput, 'The event must be a JSON object.');
      }
      context ??= await open();
      return handle(event, context);
    });
  };
}

function isObject(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
