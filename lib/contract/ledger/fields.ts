import * as z from 'zod';
import { journalEntry } from '../../domain/endpoint/stored.ts';
import {
  logLine,
  opening,
  outcome,
  rollback,
  rolloutPlan,
  wait,
  waveProgress,
} from '../../domain/rollout/stored.ts';
import type { Stored } from '../../domain/stored.ts';
import { eventRecord, holdRecord, requestRecord, signalRecord } from './records.ts';
import { EXPIRES_AT, LISTED_IN_ALL, OPEN_AS, OPEN_INDEX } from './table.ts';

/** Text or a number: a storage can compare it, and sort by it. */
const plain = <T extends string | number>(schema: z.ZodType<T>) =>
  ({ kind: 'plain', schema }) as const;
/** Words, of which a storage can say whether some are there. */
const words = { kind: 'words', schema: z.array(z.string()) } as const;
/** A record that is small when it is compressed. The progress of 50,000 endpoints is the largest. */
const record = <T>(schema: z.ZodType<T>) => ({ kind: 'record', schema }) as const;
/** A few small records, in the order in which they were added. The schema is that of one. */
const list = <T>(schema: z.ZodType<T>) => ({ kind: 'list', schema }) as const;
/** A record of any size, which is stored once and does not change. */
const large = <T>(schema: z.ZodType<T>) => ({ kind: 'large', schema }) as const;
/** Entries that are only added, of any size together. The schema is that of those that were stored together. */
const log = <T>(schema: z.ZodType<readonly T[]>) => ({ kind: 'log', schema }) as const;

/** Every field that an item of the ledger may have. Fields are only added. */
export const FIELDS = {
  runtimeId: plain(z.string()),
  /** In a lease: who holds it. It is missing once the lease was given back. */
  rolloutId: plain(z.string()),
  /** Of a lease. It stays when the lease is given back, so that none is used twice. A rollout has that of its lease. */
  epoch: plain(z.number()),
  /** Milliseconds since the Unix epoch, as all times are. */
  leaseUntil: plain(z.number()),
  /** The process that holds the lease, where the storage is shared by processes that can be told apart. */
  owner: plain(z.string()),
  /** In a runtime's latest request, beside `rolloutId`. */
  desiredVersion: plain(z.number()),
  /** In a latest request, and in a release that was taken. */
  askedAt: plain(z.number()),
  wakesAt: plain(z.number()),
  lookedAt: plain(z.number()),
  /** The newest request of a runtime whose rollout has begun, beside the latest one. */
  begunId: plain(z.string()),
  begunVersion: plain(z.number()),
  begunAskedAt: plain(z.number()),
  /** When the rollout got its lease, or before that, when it was accepted. */
  startedAt: plain(z.number()),
  endedAt: plain(z.number()),
  /** Seconds since the Unix epoch: DynamoDB may remove the item from then on. */
  [EXPIRES_AT]: plain(z.number()),
  /** Set when a rollout is buried, before its request was recorded: it can never be opened. */
  leaseLost: plain(z.literal(1)),
  /** What is not finished about the item. */
  [OPEN_INDEX.key]: plain(z.enum(OPEN_AS)),
  listedIn: plain(z.literal(LISTED_IN_ALL)),
  request: record(requestRecord),
  wait: record(wait),
  /** The wait as lists have it: it changes with the kind of the wait. An index costs a write for each change. */
  listedWait: record(wait),
  opening: record(opening),
  /** The words of signals that the code that runs the rollout understands. */
  understands: words,
  signals: list(signalRecord),
  /** The 0-based wave to which people may answer now, or `NO_WAVE`. @default - nobody was asked yet */
  asks: plain(z.number()),
  outcome: record(outcome),
  progress: record(waveProgress),
  plan: large(rolloutPlan),
  rollback: large(rollback),
  journal: log(z.array(journalEntry)),
  lines: log(z.array(logLine)),
  event: record(eventRecord),
  /** The holds on a runtime, or on everything and on groups. They are all stored together. */
  holds: record(z.array(holdRecord)),
  /** How often they were changed. */
  revision: plain(z.number()),
} as const;

export type Field = keyof typeof FIELDS;
type SchemaOf<F extends Field> = Stored<(typeof FIELDS)[F]['schema']>;
type FieldOfKind<Kind extends string> = {
  [F in Field]: (typeof FIELDS)[F]['kind'] extends Kind ? F : never;
}[Field];
export type GrowingField = FieldOfKind<'list' | 'log'>;
export type Fields = {
  readonly [F in Field]: F extends FieldOfKind<'list'> ? readonly SchemaOf<F>[] : SchemaOf<F>;
};
