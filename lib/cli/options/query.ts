import {
  compile,
  isRegistered,
  type JSONValue,
  TreeInterpreter,
} from '@jmespath-community/jmespath';
import * as z from 'zod';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';

/** Selects a part of a command's result. */
export type Query = (result: unknown) => unknown;

/** A JMESPath expression for `--query`. Without one there is no query: `undefined`. */
export const querySchema = z
  .string()
  .transform((text, context): Query => {
    try {
      return compileQuery(text);
    } catch (error) {
      const message = `it is no JMESPath: ${errorMessageOf(error)}`;
      context.addIssue({ code: 'custom', message, input: text });
      return z.NEVER;
    }
  })
  .optional();

function compileQuery(text: string): Query {
  const query = compile(text);
  const unknown = functionsIn(query).find((name) => !isRegistered(name));
  if (unknown !== undefined) throw new Error(`there is no function ${unknown}()`);
  return (result) => {
    try {
      return TreeInterpreter.search(query, result as JSONValue);
    } catch (cause) {
      const message = `The command was carried out, but --query does not fit its result: ${errorMessageOf(cause)}`;
      throw new SteprollError(ErrorName.InvalidInput, message, { cause });
    }
  };
}

/** The library looks up functions only when it evaluates them, which may be after the call. */
function functionsIn(query: unknown): string[] {
  const names: string[] = [];
  JSON.stringify(query, (_, node) => {
    if (node?.type === 'Function') names.push(node.name);
    return node;
  });
  return names;
}
