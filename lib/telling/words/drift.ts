import { commandOf } from '../../domain/command.ts';
import { dateTime } from '../../domain/local-time.ts';
import type { Drift, Drifted } from '../../domain/planning/find-drift.ts';
import { countOf, nameOf } from '../../domain/sentences.ts';
import { plainText } from '../text.ts';

/** What is said of the drift of a runtime, line by line, with the command that brings its endpoints along. */
export function describeDrift(runtimeId: string, drift: Drift, engine: string): string[] {
  const runtime = plainText(runtimeId);
  switch (drift.state) {
    case 'never-rolled':
      return [`${runtime}: no rollout of it has succeeded, so nothing says where it should be.`];
    case 'under-way':
      return [`${runtime}: rollout ${drift.rolloutId} is under way, which is no drift.`];
    case 'quarantined':
      return [`${runtime}: version ${drift.version}, to which it was brought, is in quarantine.`];
    case 'compared':
      return describeCompared(runtime, runtimeId, drift, engine);
    default:
      return drift satisfies never;
  }
}

type Compared = Extract<Drift, { state: 'compared' }>;

function describeCompared(
  runtime: string,
  runtimeId: string,
  { compared, drifted, version, rolloutId, endedAt }: Compared,
  engine: string,
): string[] {
  const when = endedAt === null ? '' : ` on ${dateTime(endedAt)}`;
  const brought = `to which rollout ${rolloutId} brought it${when}`;
  if (drifted.length === 0) {
    return [
      `${runtime}: all ${countOf(compared, 'endpoint')} are where rollout ${rolloutId} left them${when}.`,
    ];
  }
  const start = ['rollout', 'start', runtimeId, '--version', `${version}`];
  return [
    `${runtime}: ${drifted.length} of ${countOf(compared, 'endpoint')} are not on version ${version}, ${brought}.`,
    ...drifted.map((one) => `  ${describeDrifted(one, version)}`),
    `  To bring them along: ${commandOf(start, engine)}`,
  ];
}

function describeDrifted(one: Drifted, version: number): string {
  const { kind, liveVersion, target, since, by } = one;
  const isMoving = target !== null && target !== liveVersion;
  const at = liveVersion === null ? 'on a version that is not told' : `on version ${liveVersion}`;
  const live = isMoving ? `on its way to version ${target}` : at;
  const wanted = one.version === version ? '' : ` instead of ${one.version}`;
  const name = plainText(nameOf(one));
  const moved =
    by === null || since === null
      ? 'moved by somebody else since then'
      : `moved by rollout ${by} at ${dateTime(since)}`;
  const why = {
    late: 'it came later',
    left: 'the rollout succeeded without it',
    failed: 'its status is a failure',
    moved,
  }[kind];
  return `${name}: ${live}${wanted}, ${why}`;
}
