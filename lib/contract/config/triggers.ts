import * as z from 'zod';
import { LATEST } from '../../domain/rollout/request.ts';
import { checkAlways, namedOnce } from '../input/checks.ts';
import { SERVICES } from '../service/services.ts';
import { releaseSourceSchema } from './releases.ts';
import { rolloutScheduleSchema } from './schedules.ts';

/** Each trigger has its own rule, and the policy of a function has room for some 50 of them. */
const MOST_OF_A_KIND = 20;

export const triggersSchema = z.strictObject({
  maxAgeSeconds: z
    .int()
    .min(60)
    .max(3600)
    .default(900)
    .describe('A release event that is older starts nothing. Default: 900.'),
  once: z
    .literal('releaseId')
    .optional()
    .describe(
      'releaseId: a release that comes in several events, with the same releaseId, runtime or group, and version, is rolled once within 24 hours, and again only if its rollout failed. Default: each event is a release.',
    ),
  accounts: z
    .array(z.string().regex(/^\d{12}$/, 'use the id of an account: 12 digits'))
    .max(50)
    .default([])
    .describe("Other accounts that may send release events to steproll's bus. Default: none."),
  releases: listOf(releaseSourceSchema).describe('Events of other systems that announce releases.'),
  schedules: listOf(rolloutScheduleSchema).describe('Rollouts that start by the clock.'),
});
export type Triggers = z.infer<typeof triggersSchema>;
/** As it is written. */
export type TriggersInput = z.input<typeof triggersSchema>;

export const DEFAULT_TRIGGERS: Triggers = triggersSchema.parse({});

/**
 * Checks that every runtime and every group that a trigger names is in the configuration, and that its service can say which version is
 * the latest one. Where the configuration names no service, nobody knows that yet.
 */
export const checkTriggers = checkAlways<object>((config, report) => {
  const { runtimes, groups, triggers, service, endpointUrl } = config as Record<string, unknown>;
  const isUnlisted =
    service === undefined && endpointUrl !== undefined && !SERVICES.rest.abilities.listsVersions;
  for (const kind of ['releases', 'schedules']) {
    const list: unknown = Object(triggers)[kind];
    if (!Array.isArray(list)) continue;
    list.forEach((one, index) => {
      const { runtimeId, group, version } = Object(one) as Readonly<Record<string, unknown>>;
      if (isUnlisted && version === LATEST) {
        const message = `use a number, or versionFrom: ${SERVICES.rest.name} cannot list versions`;
        report(['triggers', kind, index, 'version'], version, message);
      }
      if (typeof group === 'string' && !Object.hasOwn(Object(groups), group)) {
        report(['triggers', kind, index, 'group'], group, 'use the name of an entry in groups');
      }
      if (typeof runtimeId !== 'string' || Object.hasOwn(Object(runtimes), runtimeId)) return;
      const message = 'use the id of a runtime that has an entry in runtimes';
      report(['triggers', kind, index, 'runtimeId'], runtimeId, message);
    });
  }
});

/** Checks that each release has an id, where it is rolled once. That of AgentCore is the version. */
export const checkReleaseIds = checkAlways<object>((config, report) => {
  const { once, releases } = Object((config as Record<string, unknown>).triggers);
  if (once === undefined || !Array.isArray(releases)) return;
  releases.forEach((one, index) => {
    const { kind, releaseId } = Object(one) as Readonly<Record<string, unknown>>;
    if (kind === 'agentcore' || releaseId !== undefined) return;
    const message = 'say where the id of the release is in the event: with once, each has one';
    report(['triggers', 'releases', index, 'releaseId'], undefined, message);
  });
});

function listOf<T extends z.ZodType>(schema: T) {
  return z.array(schema).max(MOST_OF_A_KIND).check(namedOnce).default([]);
}
