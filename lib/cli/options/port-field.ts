import * as z from 'zod';

/** A port as it is typed; 0: any that is free. */
export function portField(byDefault: number) {
  return z
    .string()
    .regex(/^\d{1,5}$/, 'use a port from 0 to 65535')
    .transform(Number)
    .pipe(z.int().max(65_535))
    .default(byDefault);
}
