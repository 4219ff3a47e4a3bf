import * as z from 'zod';
import { instant, maybeText, maybeTrue, recordOf, watched } from '../stored.ts';
import { LEFT_AS, TROUBLES } from './condition.ts';
import { WRITE_OPERATIONS, WRITE_RESULTS } from './journal.ts';
import { ENDPOINT_STATES } from './observation.ts';

export const journalEntry = z.object({
  at: instant,
  watched,
  operation: z.enum(WRITE_OPERATIONS),
  endpointId: z.string(),
  result: z.enum(WRITE_RESULTS),
  /** A stable name: of the error, of why a stop is `kept`, or one of rolls.ts. */
  reason: maybeText,
  message: maybeText,
  /** The service asked us not to try again before this time. */
  retryAt: instant.exactOptional(),
  /**
   * Only for a roll of a service that repeats rolls: which try it is, counted from 1. A roll without an answer is sent
   * again as the same try. @default - the service does not repeat rolls
   */
  try: z.number().exactOptional(),
});

export const observation = z.object({
  state: z.enum(ENDPOINT_STATES),
  reads: z.number(),
  /** Its target was the desired version once. An earlier target after that is not ours. */
  hadTarget: maybeTrue,
  /** Only with `failed`: it got to the version and is no good, although no two reads have shown it well there. */
  isBad: maybeTrue,
  /** Only with `failed`, of a runtime of a group: why its rollout was refused. It was never rolled. */
  refused: maybeText,
  /** Only with `pending`: it is already moving, to a version that somebody asked for before this rollout. */
  isMoving: maybeTrue,
  /** Only with `pending`: the service is at work on it, and may refuse its roll for now. */
  isBusy: maybeTrue,
  /** The list told too few versions to say where it is, and nothing else that speaks against it. */
  isSilent: maybeTrue,
  /** Only with `missing`: it has been so for long enough to be gone. */
  isGone: maybeTrue,
  /** It is live on the desired version, and this status is a word that nobody knows. @default - it is known */
  unknownStatus: maybeText,
  /** It is live on the desired version and has 0 replicas. */
  isDark: maybeTrue,
  /** Since its plan another endpoint of the list has got the same name, so people are told the id too. */
  sharesName: maybeTrue,
  /** Only in a rollback: it was broken when it was chosen, so it does not count as unavailable because of us. */
  isBroken: maybeTrue,
  /** With `reverted` and `missing`, and with a `progressing` that may be an old answer: the first read that showed this state. */
  since: watched.exactOptional(),
  /**
   * Only with `failed` and `taken-back`: why the status is what it is, in one line. @default - the service did not say,
   * or said it of enough other endpoints
   */
  statusReason: maybeText,
  /**
   * Only with `reverted` and `superseded`: what the list showed when it was first found elsewhere. @default - another
   * rollout has it, or somebody stopped it
   */
  elsewhere: z.object({ of: z.enum(['target', 'live']), version: z.number() }).exactOptional(),
  /** The read before this one showed it converged, so this one may be an old answer. */
  wasConverged: maybeTrue,
  /** It was pinned before it got there: for the rest of the rollout it counts for nothing, and nothing forward is sent. */
  isPinned: maybeTrue,
  /** How far the endpoint got earlier, if that was further than it is now. */
  furthest: z.number().exactOptional(),
  /** For people: the first read that showed this state instead of another one. @default - it is `pending` */
  changedAt: instant.exactOptional(),
});

export const plannedEndpoint = z.object({
  endpointId: z.string(),
  name: z.string().nullable(),
  /** Another endpoint of the list has the same name, so people are told the id too. */
  sharesName: maybeTrue,
  /** Where the plan takes it: to the rollout's desired version, or in a rollback to its previous version. */
  desiredVersion: z.number(),
  /** The live version before the plan: the destination of a rollback. */
  previousVersion: z.number().nullable(),
  /** The target version before the plan. It differs from `previousVersion` when the endpoint was in mid-roll. */
  previousTarget: z.number().nullable(),
  /** What was wrong with it before the rollout touched it. That alone proves nothing, and after a rollback it may be so again. */
  wrongBefore: z.array(z.enum(TROUBLES)),
  /** Only if the policy names attributes: those of them that somebody had said when the plan was made. @default - none is named */
  attributes: recordOf(z.string(), z.string()).exactOptional(),
  /** Only in a rollback: how the way forward has left it. @default - live on the version */
  leftAs: z.enum(LEFT_AS).exactOptional(),
});
