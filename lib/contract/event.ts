import * as z from 'zod';
import type { Instant } from '../domain/clock.ts';
import { describeScope, HOLD_KINDS } from '../domain/holds/hold.ts';
import type { HoldEvent, HoldNews } from '../domain/holds/news.ts';
import type { RolloutEvent, RolloutEventKind } from '../domain/rollout/event.ts';
import { groupNameOf } from '../domain/rollout/group.ts';
import { STARTER_KINDS } from '../domain/rollout/request.ts';
import { eventBase, ofEnd, ofFailure, ofStart, ofWave } from '../domain/rollout/stored.ts';
import { cutShort } from '../domain/sentences.ts';
import { recordOf } from '../domain/stored.ts';

/** A time as programs get it. */
export const time = z.iso.datetime();

export function toTime(instant: Instant): string {
  return new Date(instant).toISOString();
}

export function toTimeOrNull(instant: Instant | null): string | null {
  return instant === null ? null : toTime(instant);
}

/** This number goes up when a field changes its meaning or goes away. Fields may be added. */
const SCHEMA_VERSION = 1;

const schemaVersion = z
  .literal(SCHEMA_VERSION)
  .describe('Goes up when a key changes its meaning or goes away. Keys may be added.');
const at = time.describe('When it happened, in UTC.');
const message = z
  .string()
  .describe('A line for people, of 1,000 characters at most. Its words may change.');
const chat = recordOf(z.string(), z.unknown())
  .optional()
  .describe("Only on AWS: the same as a message for AWS's chat integration. Its words may change.");
const base = {
  schemaVersion,
  ...eventBase.shape,
  desiredVersion: z
    .int()
    .min(1)
    .describe('The version that the rollout is for, also in a rollback.'),
  at,
  message,
  chat,
};

const wave = z.strictObject({ ...base, ...ofWave });

/** The events of a rollout on the bus, each with its `detail-type` and its shape. */
export const LIFECYCLE_EVENTS = {
  started: {
    detailType: 'Rollout Started',
    detail: z
      .strictObject({
        ...base,
        startedBy: z
          .strictObject({
            kind: z.enum(STARTER_KINDS),
            name: z
              .string()
              .describe('Name of the release, schedule or person. Empty: nobody gave one.'),
            at: time.describe('When it was asked for, in UTC.'),
          })
          .describe('Who or what started it.'),
        ...ofStart,
      })
      .describe('The plan is made, and nothing was written yet.'),
  },
  'wave-started': { detailType: 'Wave Started', detail: wave.describe('Its rolls follow.') },
  'wave-converged': {
    detailType: 'Wave Converged',
    detail: wave.describe('Every endpoint of the wave is live on its version. Now it bakes.'),
  },
  'approval-wanted': {
    detailType: 'Approval Wanted',
    detail: wave.describe('The wave has baked, and the next one waits for a person.'),
  },
  failing: {
    detailType: 'Rollout Failing',
    detail: z
      .strictObject({ ...base, ...ofFailure })
      .describe('The rollout has failed or was aborted. The failure policy is carried out now.'),
  },
  ended: {
    detailType: 'Rollout Ended',
    detail: z
      .strictObject({ ...base, ...ofEnd })
      .describe(
        'The last event of a rollout, and the only one that says how it ended. A rollout that was refused has no other event.',
      ),
  },
} as const satisfies Record<RolloutEventKind, { detailType: string; detail: z.ZodType }>;

const hold = {
  schemaVersion,
  eventId: z
    .string()
    .describe(
      'The same every time the event comes. The ids of a hold sort in the order of its events.',
    ),
  holdId: z.string().describe('Id of the hold, for "steproll hold lift".'),
  holdKind: z.string().describe(`What it does: ${HOLD_KINDS.join(', ')}.`),
  scope: z.string().describe('What it is on, for people: everything, runtime shop.'),
  runtimeId: z
    .string()
    .optional()
    .describe('The runtime that it is on, or group:NAME. Absent: it is on everything.'),
  group: z.string().optional().describe('Name of the group, if it is on a group.'),
  rolloutId: z.string().optional().describe('The rollout that it is on, if it is on one.'),
  version: z.int().optional().describe('Of a quarantine: the version of the runtime.'),
  underWay: z
    .string()
    .optional()
    .describe('go-back: what is under way to the version goes back. Absent: it is paused.'),
  after: z
    .string()
    .optional()
    .describe('The rollout that failed, if nobody has added the quarantine.'),
  by: z.string().describe('Its owner.'),
  reason: z.string().describe('Why, of 300 characters at most.'),
  endpointId: z.string().optional().describe('Of a pin: the endpoint of the runtime.'),
  until: time.optional().describe('Its end, in UTC. Absent: until it is lifted.'),
  at,
  message,
  chat,
};

/** The events of holds on the bus. */
export const HOLD_EVENTS = {
  'hold-added': {
    detailType: 'Hold Added',
    detail: z
      .strictObject(hold)
      .describe('Somebody holds rollouts back, or a version that failed is in quarantine.'),
  },
  'hold-ending': {
    detailType: 'Hold Ending',
    detail: z
      .strictObject(hold)
      .describe('A hold of more than two hours, which somebody has added, ends within an hour.'),
  },
  'hold-standing': {
    detailType: 'Hold Standing',
    detail: z
      .strictObject(hold)
      .describe('A hold without an end, a pin, has stood for another week.'),
  },
  'hold-lifted': {
    detailType: 'Hold Lifted',
    detail: z
      .strictObject({
        ...hold,
        lifted: z
          .strictObject({
            by: z.string().describe('Who has lifted it.'),
            reason: z.string().describe('Why, of 300 characters at most.'),
          })
          .describe('Who has lifted it, and why.'),
      })
      .describe(
        'Somebody has lifted the hold before its end, or has rolled the version with success.',
      ),
  },
} as const satisfies Record<HoldNews, { detailType: string; detail: z.ZodType }>;

export interface LifecycleEvent {
  readonly detailType: string;
  readonly detail: Readonly<Record<string, unknown>> & {
    /** UTC, ISO 8601. */
    readonly at: string;
    /** One line of at most 1,000 characters. */
    readonly message: string;
  };
}

/** Characters. With this limit an event stays below 8 KB, whatever message a service has sent. */
const LONGEST_MESSAGE = 1_000;

/** The same of a reason or a name, which stands beside the message. */
const LONGEST_REASON = 300;

/** The event as it goes over a bus. */
export function toLifecycleEvent(event: RolloutEvent | HoldEvent): LifecycleEvent {
  if ('hold' in event) return toHoldEvent(event);
  const { kind, at, message, ...own } = ownFields(event);
  return {
    detailType: LIFECYCLE_EVENTS[kind].detailType,
    detail: { schemaVersion: SCHEMA_VERSION, ...own, at: toTime(at), message: shorten(message) },
  };
}

function toHoldEvent({ kind, eventId, at, message, hold }: HoldEvent): LifecycleEvent {
  const { id, kind: holdKind, scope, underWay, after, until, lifted } = hold;
  const { runtimeId, rolloutId, version, endpointId } = scope;
  const group = groupNameOf(runtimeId ?? '') ?? undefined;
  return {
    detailType: HOLD_EVENTS[kind].detailType,
    detail: {
      ...{ schemaVersion: SCHEMA_VERSION, eventId, holdId: id, holdKind },
      scope: shorten(describeScope(scope)),
      // What is undefined is not in the JSON.
      ...{ runtimeId, group, rolloutId, version, endpointId, underWay, after },
      ...toSaid(hold),
      ...(until !== null && { until: toTime(until) }),
      ...(kind === 'hold-lifted' && lifted && { lifted: toSaid(lifted) }),
      ...{ at: toTime(at), message: shorten(message) },
    },
  };
}

function toSaid({ by, reason }: { readonly by: string; readonly reason: string }) {
  return { by: shorten(by, LONGEST_REASON), reason: shorten(reason, LONGEST_REASON) };
}

function ownFields(event: RolloutEvent) {
  if (event.kind === 'started') {
    // The record has the reason. With it an event might not stay below 8 KB.
    const { reason: _, ...startedBy } = event.startedBy;
    return { ...event, startedBy: { ...startedBy, at: toTime(startedBy.at) } };
  }
  if (event.kind === 'ended') return event;
  const { gates: _, ...own } = event;
  if (own.kind !== 'failing') return own;
  const { cause: __, ...told } = own;
  return told;
}

/** What is no part of a line, breaks it, or turns the direction of what follows: people would read something else. */
const BREAKS_OR_TURNS = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;

/** Makes one line for people, without characters that take six bytes each in JSON. */
export function shorten(message: string, longest = LONGEST_MESSAGE): string {
  return cutShort(message.replace(BREAKS_OR_TURNS, ' '), longest);
}

/**
 * The details of the events as JSON Schemas (draft 2020-12), by the name of their file in `schemas/events`.
 * They allow unknown keys, because later versions may add some.
 */
export function eventSchemas(): Record<string, object> {
  return Object.fromEntries(
    Object.values({ ...LIFECYCLE_EVENTS, ...HOLD_EVENTS }).map(({ detailType, detail }) => {
      const { $schema, ...rest } = z.toJSONSchema(detail, { override: allowMore });
      return [eventSchemaFile(detailType), { $schema, title: detailType, ...rest }];
    }),
  );
}

/** `Rollout Started` is in `rollout-started.json`. */
function eventSchemaFile(detailType: string): string {
  return `${detailType.toLowerCase().replaceAll(' ', '-')}.json`;
}

function allowMore({ jsonSchema }: { readonly jsonSchema: { additionalProperties?: unknown } }) {
  delete jsonSchema.additionalProperties;
}
