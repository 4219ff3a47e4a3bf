import * as z from 'zod';
import type { Tolerance, Wave, WaveSize } from '../../domain/rollout/policy.ts';
import { durationSchema } from './durations.ts';

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

/** A number of endpoints or a share of a wave that may fail or vanish: `0`, `2`, `5%`. */
export const toleranceSchema: z.ZodType<Tolerance, string> = waveSizeSchema;

const NAME = 'name:';

/** One wave, as people write it: a size or `name:canary-*`, and after an `@` its own bake time: `1@1h`. */
const waveSchema = z.string().transform((text, context): Wave => {
  const [what = '', bake, ...rest] = text.trim().split('@');
  const words = what.split('+');
  const size = words.every((word) => word.startsWith(NAME) && word.length > NAME.length)
    ? { data: { names: words.map((word) => word.slice(NAME.length)) } }
    : waveSizeSchema.safeParse(what);
  const baked = bake === undefined ? { data: undefined } : durationSchema.safeParse(bake);
  const isGood = size.data !== undefined && !('error' in baked && baked.error) && rest.length === 0;
  if (isGood) return { ...size.data, ...(bake !== undefined && { bakeSeconds: baked.data }) };
  context.issues.push({
    code: 'custom',
    message:
      'use a number, a percentage or a name, with a bake of its own if you like: 1, 25%, name:canary-*, 1@1h',
    input: text,
  });
  return z.NEVER;
});

/** Waves, as people write them: `1,25%,100%`, `name:canary-*@1h,25%,100%`. */
export const wavesSchema = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(waveSchema));
