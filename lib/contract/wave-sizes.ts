import * as z from 'zod';
import type { WaveSize } from '../domain/policy.ts';

const SIZE = /^(\d{1,9})$|^(\d{1,3}(?:\.\d{1,3})?)%$/;

/** A number of endpoints or a share of them, as people write it: `1`, `25%`. */
export const waveSizeSchema = z.string().transform((text, context): WaveSize => {
  const [, endpoints, percent] = SIZE.exec(text.trim()) ?? [];
  if (endpoints !== undefined) return { endpoints: Number(endpoints) };
  if (percent !== undefined) return { percent: Number(percent) };
  context.issues.push({
    code: 'custom',
    message: 'use a number of endpoints or a percentage: 1, 25%',
    input: text,
  });
  return z.NEVER;
});

/** Cumulative sizes, as people write them: `1,25%,100%`. */
export const waveSizesSchema = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(waveSizeSchema));
