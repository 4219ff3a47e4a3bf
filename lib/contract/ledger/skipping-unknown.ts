import type * as z from 'zod';

/** The same schema for what is stored: it skips keys that it does not know. What a person writes stays strict. */
export function skippingUnknown<T>(schema: z.ZodType<T>): z.ZodType<T> {
  return without(schema as unknown as Schema) as unknown as z.ZodType<T>;
}

/** The part of a zod schema that says of which schemas it is made. */
interface Schema {
  readonly def: {
    readonly type: string;
    readonly shape?: Readonly<Record<string, Schema>>;
    readonly catchall?: Schema;
    readonly element?: Schema;
    readonly options?: readonly Schema[];
    readonly innerType?: Schema;
  };
  clone(def: Schema['def']): Schema;
}

function without(schema: Schema): Schema {
  const { catchall: _, ...def } = schema.def;
  const { shape, element, options, innerType } = def;
  if (shape !== undefined) {
    const fields = Object.entries(shape).map(([key, field]) => [key, without(field)] as const);
    return schema.clone({ ...def, shape: Object.fromEntries(fields) });
  }
  if (element !== undefined) return schema.clone({ ...def, element: without(element) });
  if (options !== undefined) return schema.clone({ ...def, options: options.map(without) });
  return innerType === undefined ? schema : schema.clone({ ...def, innerType: without(innerType) });
}
