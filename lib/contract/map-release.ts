import * as z from 'zod';
import type { Trigger } from '../domain/trigger/trigger.ts';
import { valueAt } from '../domain/trigger/value-at.ts';
import { versionIn } from '../domain/trigger/version-in.ts';
import { parseAsTrigger } from './parse-as-trigger.ts';
import type { ReleaseMapping } from './release-source.ts';
import { runtimeIdSchema } from './rollout-input.ts';

/**
 * Which runtime another system's event is about and which version, from where the configuration points
 * to. Nothing else in the event is looked at.
 *
 * @throws `InvalidTrigger` that names the places in the event.
 */
export function mapRelease(
  mapping: ReleaseMapping,
  event: unknown,
): Pick<Trigger, 'runtimeId' | 'wanted'> {
  const { runtimeId, version, versionFrom } = mapping;
  const found = {
    runtimeId: configuredOrFound(runtimeId, event),
    version: configuredOrFound(version, event),
  };
  const nameOf = (key: string) => placeOf(key === 'version' ? version : runtimeId) ?? key;
  if (versionFrom !== undefined) {
    return { ...parseAsTrigger(runtimeOnly, found, nameOf), wanted: { versionFrom } };
  }
  const read = parseAsTrigger(runtimeAndVersion, found, nameOf);
  return { runtimeId: read.runtimeId, wanted: { version: read.version } };
}

const eventVersion = z.unknown().transform((value, { issues }) => {
  const version = versionIn(value);
  if (version !== null) return version;
  const message = 'use a version from 1, also as text: "7" or "v7"';
  issues.push({ code: 'custom', message, input: value });
  return z.NEVER;
});
const runtimeOnly = z.object({ runtimeId: runtimeIdSchema });
const runtimeAndVersion = z.object({ runtimeId: runtimeIdSchema, version: eventVersion });

function configuredOrFound(configured: unknown, event: unknown): unknown {
  const path = pathIn(configured);
  return path === undefined ? configured : valueAt(event, path);
}

function placeOf(configured: unknown): string | undefined {
  const path = pathIn(configured);
  return path === undefined ? undefined : `event.${path}`;
}

function pathIn(configured: unknown): string | undefined {
  return (Object(configured) as { readonly path?: string }).path;
}
