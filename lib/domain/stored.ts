import * as z from 'zod';
import type { Instant, Moment, Ms, Seconds, Watched } from './clock.ts';

// What the ledger keeps is defined once, by the schemas in the file `stored.ts` of each part of the domain. The types of
// the domain are inferred from them, and only whoever reads or writes what is stored loads them.

/** What a schema of the ledger describes. Nobody changes a value that was stored. */
export type Stored<S extends z.ZodType> = Frozen<z.output<S>>;

type Frozen<T> = T extends string | number | boolean | null | undefined
  ? T
  : unknown extends T
    ? T
    : { readonly [Key in keyof T]: Frozen<T[Key]> };

export const instant: z.ZodType<Instant> = z.number();
export const watched: z.ZodType<Watched> = z.number();
export const ms: z.ZodType<Ms> = z.number();
export const seconds: z.ZodType<Seconds> = z.number();
export const moment: z.ZodType<Moment> = z.object({ at: instant, watched });

export const maybeText = z.string().exactOptional();
/** What is not so has no such field. */
export const maybeTrue = z.literal(true).exactOptional();
