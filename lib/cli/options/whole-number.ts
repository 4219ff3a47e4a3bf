import * as z from 'zod';
import { versionSchema } from '../../contract/rollout-input.ts';

/** A whole number of at least 1, as text. */
export const wholeNumber = z
  .string({ error: 'use a whole number of at least 1' })
  .regex(/^\d{1,16}$/, 'use a whole number of at least 1')
  .transform(Number)
  .pipe(versionSchema);
