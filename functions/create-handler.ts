import type { Context as LambdaContext } from 'aws-lambda';
import { createObserver, type Observer } from '../lib/adapters/lambda/telemetry.ts';
import { ErrorName, SteprollError } from '../lib/domain/errors.ts';

type Payload = Readonly<Record<string, unknown>>;

/**
 * A Lambda handler: opens what the function works with at its first event, keeps it for the next ones,
 * and hands each event on. What is thrown is thrown on: Lambda reports its name as the error's type,
 * which the workflow matches.
 *
 * @param operation What the function does, in logs and metrics.
 */
export function createHandler<Context>(
  operation: string,
  open: () => Context,
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
      context ??= open();
      return handle(event, context);
    });
  };
}

function isObject(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
