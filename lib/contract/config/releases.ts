import * as z from 'zod';
import { LATEST } from '../../domain/rollout/request.ts';
import { recordOf } from '../../domain/stored.ts';
import { isOwnSource } from '../../domain/trigger/release.ts';
import {
  checkAlways,
  exactlyOneOf,
  nameSchema,
  runtimeIdSchema,
  versionSchema,
} from '../input/checks.ts';

/** The name of a trigger is also a part of the names of rules and schedules. */
export const triggerNameSchema = z
  .string()
  .regex(/^[0-9a-zA-Z_-]{1,40}$/, 'use 1 to 40 letters, digits, hyphens and underscores');

export const versionFromSchema = z.strictObject({
  endpoint: z.string().min(1).max(256).describe('Name or id of an endpoint of the runtime.'),
});

/** Keys that lead into an event. An event can never choose the place by itself. */
const pathSchema = z.strictObject({
  path: z
    .string()
    .max(256)
    .regex(/^detail(\.[\w-]+)+$/, 'use keys that lead into the event: detail.image-tag')
    .describe('Keys that lead into the event: "detail.image-tag".'),
});

const words = z.array(z.string().min(1).max(256)).min(1).max(50);

const sources = words.check(({ value, issues }) => {
  value.forEach((source, index) => {
    if (!isOwnSource(source)) return;
    const message = "use the source of another system: steproll's own events are taken as they are";
    issues.push({ code: 'custom', message, input: source, path: [index] });
  });
});

/** At its end, every key of a pattern has a list of allowed values. */
const detailPattern: z.ZodType<Readonly<Record<string, unknown>>> = recordOf(
  z.string(),
  z.union([z.array(z.json()).min(1), z.lazy(() => detailPattern)]),
);

/** The keys of an event pattern. At least one of them must say whose events they are. */
const patternSchema = z
  .strictObject({
    source: sources.optional(),
    'detail-type': words.optional(),
    account: words.optional(),
    region: words.optional(),
    resources: words.optional(),
    detail: detailPattern.optional(),
  })
  .check(
    checkAlways((pattern, report) => {
      if (pattern.source !== undefined || pattern['detail-type'] !== undefined) return;
      report(['source'], undefined, 'use source, detail-type or both: it would match too much');
    }),
  );

const busSchema = z
  .string()
  .regex(
    /^(arn:aws[a-z-]*:events:[a-z0-9-]+:\d{12}:event-bus\/)?[\w./-]{1,256}$/,
    'use the name or the ARN of an event bus',
  );

const kindOf = <Kind extends string>(kind: Kind) =>
  z
    .literal(kind)
    .describe(
      'events: any events, as the pattern and the places in them say; agentcore: new versions of the runtimes, as CloudTrail reports them, with no key but the name. Default: events.',
    );

const latestSchema = z.literal(LATEST, {
  error: `use a whole number of at least 1, "${LATEST}", or {"path": …} to where it is in the event`,
});

const mappingFields = {
  kind: kindOf('events').optional(),
  name: triggerNameSchema.describe(
    'Short, and different from all other names. Default: required for events; agentcore for agentcore.',
  ),
  runtimeId: z
    .union([runtimeIdSchema, pathSchema])
    .optional()
    .describe('The id of a runtime, or where it is in the event.'),
  group: z
    .union([nameSchema, pathSchema])
    .optional()
    .describe('Instead of runtimeId: the name of a group, or where it is in the event.'),
  version: z
    .union([versionSchema, latestSchema, pathSchema])
    .optional()
    .describe('The version, "latest", or where it is in the event: 7, "7" or "v7".'),
  versionFrom: versionFromSchema
    .optional()
    .describe('Instead of version: the version that is live on this endpoint of the runtime.'),
  releaseId: pathSchema
    .optional()
    .describe(
      "Where the sender's id of the release is in the event, text or a number. Default: nowhere; required with triggers.once.",
    ),
};

const ONE_OF_EACH = [
  exactlyOneOf('runtimeId', 'group'),
  exactlyOneOf('version', 'versionFrom'),
] as const;

/** The place of the runtime and of the version in the events of AgentCore is known. */
const agentcoreFields = {
  kind: kindOf('agentcore'),
  name: mappingFields.name.default('agentcore'),
};

/** What the start function has to know about a release source. */
export const releaseMappingSchema = z.discriminatedUnion('kind', [
  z.object(mappingFields).check(...ONE_OF_EACH),
  z.object(agentcoreFields),
]);
export type ReleaseMapping = z.infer<typeof releaseMappingSchema>;

export const releaseSourceSchema = z.discriminatedUnion('kind', [
  z
    .strictObject({
      ...mappingFields,
      bus: busSchema.optional().describe('Name or ARN of the event bus. Default: steproll.'),
      pattern: patternSchema.describe(
        'Which events are taken: an event pattern of EventBridge. Default: required for events.',
      ),
    })
    .check(...ONE_OF_EACH),
  z.strictObject(agentcoreFields),
]);
/** As it is written. */
export type ReleaseSourceInput = z.input<typeof releaseSourceSchema>;
export type ReleaseSource = z.infer<typeof releaseSourceSchema>;
