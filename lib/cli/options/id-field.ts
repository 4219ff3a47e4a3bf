import * as z from 'zod';
import { faultOfId } from '../../domain/endpoint-id.ts';

/** An id that can stand in a path. `hint` is said when it is missing. */
export function idField(hint: string) {
  return z.string({ error: hint }).check(({ value, issues }) => {
    const fault = faultOfId(value);
    if (fault !== null) issues.push({ code: 'custom', message: fault, input: value });
  });
}
