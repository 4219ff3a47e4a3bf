import * as z from 'zod';
import { isOwnSource } from '../../domain/trigger/release.ts';
import {
  checkAlways,
  exactlyOneOf,
  latestSchema,
  runtimeIdSchema,
  versionSchema,
} from '../parsing/checks.ts';

/** The name of a trigger is also a part of the names of rules and schedules. */
export const triggerNameSchema = z
  .string()
  .regex(/^[0-9a-zA-Z_-]{1,40}$/, 'use 1 to 40 letters, digits, hyphens and underscores');

/** The endpoint whose live version a trigger takes. */
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
const detailPattern: z.ZodType<Readonly<Record<string, unknown>>> = z.record(
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

/** Says which runtime and which version a release event of another system is about. */
const mappingFields = {
  name: triggerNameSchema.describe('Short, and different from all other names.'),
  runtimeId: z
    .union([runtimeIdSchema, pathSchema])
    .describe('The id of a runtime, or where it is in the event.'),
  version: z
    .union([versionSchema, latestSchema, pathSchema])
    .optional()
    .describe('The version, "latest", or where it is in the event: 7, "7" or "v7".'),
  versionFrom: versionFromSchema
    .optional()
    .describe('Instead of version: the version that is live on this endpoint of the runtime.'),
};

/** What the start function has to know about a release source. */
export const releaseMappingSchema = z
  .object(mappingFields)
  .check(exactlyOneOf('version', 'versionFrom'));
export type ReleaseMapping = z.infer<typeof releaseMappingSchema>;

/** Events of another system that announce a release. */
export const releaseSourceSchema = z
  .strictObject({
    ...mappingFields,
    bus: busSchema.optional().describe('Name or ARN of the event bus. Default: steproll.'),
    pattern: patternSchema.describe('Which events are taken: an event pattern of EventBridge.'),
  })
  .check(exactlyOneOf('version', 'versionFrom'));
export type ReleaseSource = z.infer<typeof releaseSourceSchema>;
