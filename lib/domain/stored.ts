import * as z from 'zod';
import * as core from 'zod/v4/core';
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

/**
 * An object whose keys come from outside: ids, names, words of others. Unlike `z.record` it keeps the key `__proto__`, so
 * that what is said of a runtime of this id holds.
 */
export function recordOf<Key extends core.$ZodRecordKey, Value extends core.$ZodType>(
  keyType: Key,
  valueType: Value,
): z.ZodRecord<Key, Value> {
  const record = new KeyedRecord({ type: 'record', keyType, valueType });
  return record as unknown as z.ZodRecord<Key, Value>;
}

const OWN = '__proto__';

const Others: core.$constructor<z.ZodRecord> = z.ZodRecord;

const KeyedRecord: core.$constructor<z.ZodRecord> = core.$constructor(
  'KeyedRecord',
  (inst, def) => {
    Others.init(inst, def);
    const parseOthers = inst._zod.parse;
    inst._zod.parse = (payload, context) => {
      const input = payload.value;
      const parsed = parseOthers(payload, context);
      const isParsed = parsed === payload && payload.value !== input;
      if (!isParsed || !Object.hasOwn(Object(input), OWN)) return parsed;
      const run = (type: core.$ZodType, value: unknown) => {
        const result = type._zod.run({ value, issues: [] }, context);
        if (result instanceof Promise) throw new core.$ZodAsyncError();
        const found = result.issues.map((one) => ({ ...one, path: [OWN, ...(one.path ?? [])] }));
        payload.issues.push(...found);
        return result.value;
      };
      run(def.keyType as core.$ZodType, OWN);
      const value = run(def.valueType as core.$ZodType, Object(input)[OWN]);
      const own = { value, enumerable: true, writable: true, configurable: true };
      Object.defineProperty(payload.value, OWN, own);
      return payload;
    };
  },
);

export const maybeText = z.string().exactOptional();
/** What is not so has no such field. */
export const maybeTrue = z.literal(true).exactOptional();
