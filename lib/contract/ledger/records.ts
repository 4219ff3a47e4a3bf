import * as z from 'zod';
import type { Hold } from '../../domain/holds/hold.ts';
import { hold } from '../../domain/holds/stored.ts';
import { ROLLOUT_EVENT_KINDS, type RolloutEvent } from '../../domain/rollout/event.ts';
import type { Signal } from '../../domain/rollout/record.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';
import {
  askedRequest,
  failingEvent,
  signal,
  startedEvent,
  waveEvent,
} from '../../domain/rollout/stored.ts';
import { SIGNAL_KINDS } from '../../domain/signals/signals.ts';
import { policySchema } from '../config/policy.ts';

// Records only grow, because a rollout outlives a deployment. What a newer steproll has added is skipped: fields of
// objects, and signals and events of kinds that this one does not know. What is stored is said in `stored.ts` of each
// part of the domain; here is what the domain cannot know of it.

export const requestRecord: z.ZodType<AskedRequest> = askedRequest.extend({
  policy: skippingUnknown(policySchema).nullable(),
});

/** `null`: a signal of a kind that this version does not know. */
export const signalRecord: z.ZodType<Signal | null> = z.union([
  signal.extend({ kind: z.enum(SIGNAL_KINDS) }),
  ofOtherKindThan(SIGNAL_KINDS),
]);

/** Holds are stored together, so whoever changes one keeps what a newer steproll has written in the others. */
export const holdRecord: z.ZodType<Hold> = hold
  .extend({
    scope: hold.shape.scope.loose(),
    lifted: hold.shape.lifted.unwrap().loose().exactOptional(),
  })
  .loose();

/** `null`: an event of a kind that this version does not know. */
export const eventRecord: z.ZodType<RolloutEvent | null> = z.union([
  startedEvent,
  waveEvent,
  failingEvent,
  ofOtherKindThan(ROLLOUT_EVENT_KINDS.filter((kind) => kind !== 'ended')),
]);

function ofOtherKindThan(known: readonly string[]): z.ZodType<null> {
  return z
    .object({ kind: z.string().refine((kind) => !known.includes(kind)) })
    .transform(() => null);
}

/** The same schema for what is stored: it skips keys that it does not know. What a person writes stays strict. */
function skippingUnknown<T>(schema: z.ZodType<T>): z.ZodType<T> {
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
