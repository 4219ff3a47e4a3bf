import * as z from 'zod';
import { faultOfId } from '../domain/endpoint-id.ts';

/** An id of a runtime or an endpoint. @param error What to use, where there is no text at all. */
export function idSchema(error?: string) {
  return z
    .string(error === undefined ? {} : { error })
    .check(({ value, issues }) => {
      const fault = faultOfId(value);
      if (fault !== null) issues.push({ code: 'custom', message: fault, input: value });
    })
    .meta({ minLength: 1, maxLength: 256 });
}
