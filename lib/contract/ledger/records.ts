import * as z from 'zod';
import {
  DIRECTIONS,
  type JournalEntry,
  WRITE_OPERATIONS,
  WRITE_RESULTS,
} from '../../domain/endpoint/journal.ts';
import { ENDPOINT_STATES, type Observation } from '../../domain/endpoint/observation.ts';
import type { Hold } from '../../domain/holds/hold.ts';
import { type RolloutEvent, WAVE_KINDS } from '../../domain/rollout/event.ts';
import {
  GATE_VERDICTS,
  type GateChange,
  type GateLook,
  type GateNo,
  type GateWatch,
  type KeptAnswer,
  type WatchedGate,
} from '../../domain/rollout/gates.ts';
import { CLEANUPS, OUTCOME_KINDS, type Outcome } from '../../domain/rollout/outcome.ts';
import { LEFT_OUT_REASONS, type Rollback, type RolloutPlan } from '../../domain/rollout/plan.ts';
import { FAILURE_KINDS, FAILURE_POLICIES } from '../../domain/rollout/policy.ts';
import type { Signal, WaveProgress } from '../../domain/rollout/record.ts';
import {
  type AskedRequest,
  LATEST,
  STARTER_KINDS,
  type StartedBy,
} from '../../domain/rollout/request.ts';
import { WAITS, type Waiting } from '../../domain/rollout/waiting.ts';
import { SIGNAL_KINDS } from '../../domain/signals/signals.ts';
import { GATE_KINDS } from '../../gates/gates.ts';
import { policySchema } from '../config/policy.ts';
import { skippingUnknown } from './skipping-unknown.ts';

// Records only grow, because a rollout outlives a deployment. What a newer steproll has added is skipped: fields of
// objects, and signals and events of kinds that this one does not know.

const startedByRecord: z.ZodType<StartedBy> = z.object({
  kind: z.enum(STARTER_KINDS),
  name: z.string(),
  at: z.number(),
  reason: z.string().exactOptional(),
});

const momentRecord = z.object({ at: z.number(), watched: z.number() });

const keptRecord: z.ZodType<KeptAnswer> = z.object({
  kind: z.enum(GATE_KINDS),
  name: z.string(),
  verdict: z.enum(GATE_VERDICTS),
  detail: z.string(),
  wave: z.number(),
  watches: z.string().exactOptional(),
  attempts: z.number(),
  standsUntil: z.number(),
  isAtEnd: z.literal(true).exactOptional(),
  isAtWork: z.literal(true).exactOptional(),
  atWorkSince: z.number().exactOptional(),
});

const aheadFields = { kept: z.array(keptRecord), silentMs: z.number().exactOptional() };

export const waitingRecord: z.ZodType<Waiting> = z.object({
  for: z.enum(WAITS),
  message: z.string(),
  since: z.number(),
  wakesAt: z.number(),
  until: z.number().nullable(),
  waited: z.object({
    turn: z.number(),
    version: z.number(),
    list: z.number(),
  }),
  ahead: z.object({ ...aheadFields, clock: momentRecord }).exactOptional(),
});

export const requestRecord: z.ZodType<AskedRequest> = z.object({
  rolloutId: z.string(),
  endpointUrl: z.string().exactOptional(),
  runtimeId: z.string(),
  desiredVersion: z.number().nullable(),
  versionFrom: z.string().exactOptional(),
  revert: z.string().exactOptional(),
  versions: z.record(z.string(), z.union([z.number(), z.literal(LATEST)])).exactOptional(),
  policy: skippingUnknown(policySchema).nullable(),
  startedBy: startedByRecord,
  agreedPlan: z.string().exactOptional(),
  again: z.literal(true).exactOptional(),
  passedOver: z
    .array(z.object({ runtimeId: z.string(), version: z.number(), because: z.string() }))
    .exactOptional(),
  takeOver: z.literal(true).exactOptional(),
  parent: z.string().exactOptional(),
  group: z.string().exactOptional(),
});

export const planRecord: z.ZodType<RolloutPlan> = z.object({
  direction: z.enum(DIRECTIONS),
  endpoints: z.array(
    z.object({
      endpointId: z.string(),
      name: z.string().nullable(),
      desiredVersion: z.number(),
      previousVersion: z.number().nullable(),
      previousTarget: z.number().nullable(),
      failedBefore: z.boolean(),
      wasDark: z.literal(true).exactOptional(),
      isBroken: z.literal(true).exactOptional(),
      isUnsettled: z.literal(true).exactOptional(),
    }),
  ),
  waves: z.array(z.object({ from: z.number(), to: z.number(), bakeSeconds: z.number() })),
  leftOut: z.array(
    z.object({
      endpointId: z.string(),
      name: z.string().nullable(),
      reason: z.enum(LEFT_OUT_REASONS),
    }),
  ),
  maxUnavailable: z.number(),
  maxAtRisk: z.number().exactOptional(),
  restingStatus: z.string().nullable().exactOptional(),
  cannotStop: z.literal(true).exactOptional(),
});

const endingRecord = z.object({
  outcome: z.enum(OUTCOME_KINDS),
  failure: z.enum(FAILURE_KINDS).exactOptional(),
  reason: z.string(),
  message: z.string(),
});

const observationsRecord: z.ZodType<readonly Observation[]> = z.array(
  z.object({
    state: z.enum(ENDPOINT_STATES),
    reads: z.number(),
    hadTarget: z.literal(true).exactOptional(),
    isMoving: z.literal(true).exactOptional(),
    isBusy: z.literal(true).exactOptional(),
    isBroken: z.literal(true).exactOptional(),
    since: z.number().exactOptional(),
    wasConverged: z.literal(true).exactOptional(),
    furthest: z.number().exactOptional(),
    isDark: z.literal(true).exactOptional(),
    statusReason: z.string().exactOptional(),
    elsewhere: z.object({ of: z.enum(['target', 'live']), version: z.number() }).exactOptional(),
    changedAt: z.number().exactOptional(),
    isBad: z.literal(true).exactOptional(),
  }),
);

export const rollbackRecord: z.ZodType<Rollback> = z.object({
  cause: endingRecord,
  plan: planRecord,
  seen: observationsRecord,
});

/** `null`: a signal of a kind that this version does not know. */
export const signalRecord: z.ZodType<Signal | null> = z.union([
  z.object({
    kind: z.enum(SIGNAL_KINDS),
    at: z.number(),
    wave: z.number().nullable(),
    isFull: z.literal(true).exactOptional(),
    onFailure: z.enum(FAILURE_POLICIES).exactOptional(),
    by: z.string(),
    reason: z.string(),
  }),
  ofOtherKindThan(SIGNAL_KINDS),
]);

/** The entries of one call of `append`. */
export const journalRecord: z.ZodType<readonly JournalEntry[]> = z.array(
  z.object({
    at: z.number(),
    watched: z.number(),
    operation: z.enum(WRITE_OPERATIONS),
    endpointId: z.string(),
    result: z.enum(WRITE_RESULTS),
    reason: z.string().exactOptional(),
    message: z.string().exactOptional(),
    retryAt: z.number().exactOptional(),
    try: z.number().exactOptional(),
  }),
);

const gatesRecord: z.ZodType<GateLook> = z.object({
  wave: z.number(),
  at: z.number(),
  answers: z.array(
    z.object({
      kind: z.enum(GATE_KINDS),
      name: z.string(),
      verdict: z.enum(GATE_VERDICTS),
      detail: z.string(),
      watches: z.string().exactOptional(),
    }),
  ),
});

const gateNoRecord: z.ZodType<GateNo> = z.object({
  kind: z.enum(GATE_KINDS),
  name: z.string(),
  detail: z.string(),
  endpointId: z.string().exactOptional(),
  watches: z.string().exactOptional(),
  since: z.number(),
  isConfirmed: z.literal(true).exactOptional(),
});

const watchedGateRecord: z.ZodType<WatchedGate> = z.object({
  gate: z.string(),
  no: z
    .object({
      wave: z.number(),
      kind: z.enum(GATE_KINDS),
      name: z.string(),
      detail: z.string(),
      at: z.number(),
    })
    .exactOptional(),
});

const gateChangeRecord: z.ZodType<GateChange> = z.object({
  gate: z.string(),
  isWatching: z.literal(true).exactOptional(),
  wave: z.number(),
  at: z.number(),
  isAhead: z.literal(true).exactOptional(),
  verdict: z.enum(GATE_VERDICTS),
  detail: z.string(),
});

const watchRecord: z.ZodType<GateWatch> = z.object({
  dueAt: z.number(),
  cursor: z.number(),
  noes: z.array(gateNoRecord),
  watchedNoes: z.array(gateNoRecord).exactOptional(),
  since: z.number().exactOptional(),
  kept: z.array(keptRecord).exactOptional(),
});

export const progressRecord: z.ZodType<WaveProgress> = z.object({
  direction: z.enum(DIRECTIONS),
  wave: z.number(),
  clock: momentRecord,
  readAt: z.number(),
  stalledMs: z.number(),
  unreadableMs: z.number().nullable(),
  readFault: z.string().exactOptional(),
  bakedMs: z.number().nullable(),
  promoted: z.object({ bakeSeconds: z.number() }).exactOptional(),
  isCheckedAgain: z.literal(true).exactOptional(),
  converged: momentRecord.exactOptional(),
  doubtMs: z.number().nullable(),
  looksInDoubt: z.number(),
  askedMs: z.number(),
  gates: gatesRecord.exactOptional(),
  watch: watchRecord.exactOptional(),
  ahead: z.object(aheadFields).exactOptional(),
  redAtStart: z.array(z.string()).exactOptional(),
  watched: z.array(watchedGateRecord).exactOptional(),
  gateChanges: z.array(gateChangeRecord).exactOptional(),
  lost: z.object({ error: z.string(), times: z.number() }).exactOptional(),
  isPaused: z.literal(true).exactOptional(),
  looks: z.number(),
  fastestRollMs: z.number().nullable(),
  resumed: z.number().exactOptional(),
  furthest: z.number(),
  observations: observationsRecord,
});

export const outcomeRecord: z.ZodType<Outcome> = endingRecord.extend({
  cleanup: z.enum(CLEANUPS),
  watched: z.array(z.object({ gate: z.string(), wouldHaveFailed: z.boolean() })).exactOptional(),
});

/** They are stored together, so whoever changes one keeps what a newer steproll has written in the others. */
export const holdRecord: z.ZodType<Hold> = z.looseObject({
  id: z.string(),
  kind: z.string(),
  scope: z.looseObject({
    runtimeId: z.string().exactOptional(),
    rolloutId: z.string().exactOptional(),
    version: z.number().exactOptional(),
  }),
  by: z.string(),
  reason: z.string(),
  at: z.number(),
  until: z.number(),
  underWay: z.string().exactOptional(),
  after: z.string().exactOptional(),
  lifted: z.looseObject({ by: z.string(), reason: z.string(), at: z.number() }).exactOptional(),
  told: z.array(z.string()).exactOptional(),
});

const eventBase = {
  eventId: z.string(),
  rolloutId: z.string(),
  runtimeId: z.string(),
  desiredVersion: z.number(),
  parent: z.string().exactOptional(),
  group: z.string().exactOptional(),
  at: z.number(),
  message: z.string(),
};

/**
 * The end is not stored as an event, because it follows from the outcome. `null`: an event of a kind that this version
 * does not know.
 */
export const eventRecord: z.ZodType<RolloutEvent | null> = z.union([
  z.object({
    kind: z.literal('started'),
    ...eventBase,
    startedBy: startedByRecord,
    endpoints: z.number(),
    leftOut: z.number(),
    waves: z.number(),
  }),
  z.object({
    kind: z.enum(WAVE_KINDS),
    ...eventBase,
    direction: z.enum(DIRECTIONS),
    wave: z.number(),
    waves: z.number(),
    endpoints: z.number(),
    gates: gatesRecord.exactOptional(),
  }),
  z.object({
    kind: z.literal('failing'),
    ...eventBase,
    reason: z.string(),
    failure: z.enum(FAILURE_KINDS).exactOptional(),
    onFailure: z.enum(FAILURE_POLICIES),
    cause: endingRecord,
    gates: gatesRecord.exactOptional(),
  }),
  ofOtherKindThan(['started', ...WAVE_KINDS, 'failing']),
]);

function ofOtherKindThan(known: readonly string[]): z.ZodType<null> {
  return z
    .object({ kind: z.string().refine((kind) => !known.includes(kind)) })
    .transform(() => null);
}
