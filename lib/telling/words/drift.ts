import { commandOf } from '../../domain/command.ts';
import { dateTime } from '../../domain/local-time.ts';
import type { Drift, Drifted } from '../../domain/planning/find-drift.ts';
import { countOf, nameOf } from '../../domain/sentences.ts';
import { plainText } from '../text.ts';

/** What is said of the drift of a runtime. */
export interface ToldDrift {
  /** Line by line. */
  readonly says: readonly string[];
  /** What brings its endpoints along. Empty: none has drifted, or too many for a command. */
  readonly commands: readonly string[];
}

/** The same as lines for a terminal. */
export function describeDrift({ says, commands }: ToldDrift): string[] {
  return [...says, ...commands.map((command) => `  To bring them along: ${command}`)];
}

export function tellDrift(runtimeId: string, drift: Drift, engine: string): ToldDrift {
  const runtime = plainText(runtimeId);
  const onlySays = (line: string) => ({ says: [line], commands: [] });
  switch (drift.state) {
    case 'never-rolled':
      return onlySays(
        `${runtime}: no rollout of it has succeeded, so nothing says where it should be.`,
      );
    case 'under-way':
      return onlySays(`${runtime}: rollout ${drift.rolloutId} is under way, which is no drift.`);
    case 'quarantined':
      return onlySays(
        `${runtime}: version ${drift.version}, to which it was brought, is in quarantine.`,
      );
    case 'compared':
      return tellCompared(runtime, runtimeId, drift, engine);
    default:
      return drift satisfies never;
  }
}

type Compared = Extract<Drift, { state: 'compared' }>;

function tellCompared(
  runtime: string,
  runtimeId: string,
  drift: Compared,
  engine: string,
): ToldDrift {
  const { compared, uncompared, pinned, drifted, version, versions, rolloutId, endedAt } = drift;
  const when = endedAt === null ? '' : ` on ${dateTime(endedAt)}`;
  const rest =
    uncompared === 0
      ? []
      : [`  ${countOf(uncompared, 'endpoint')} besides: no rollout that is known rolled them.`];
  const left = pinned === 0 ? '' : ` ${pinned} pinned besides, which is no drift.`;
  const of = `of ${countOf(compared, 'endpoint')}`;
  const isOne = versions.length < 2 && versions.every((one) => one === version);
  const where = isOne
    ? `on version ${version}, to which rollout ${rolloutId} brought ${runtime}${when}`
    : `where the last good rollouts brought them, the newest of them ${rolloutId}${when}`;
  const newest = `the newest rollout is ${rolloutId}${when}`;
  if (drifted.length === 0) {
    const none = `${runtime}: nothing has drifted of ${countOf(compared, 'endpoint')} (${newest}).${left}`;
    return { says: [none, ...rest], commands: [] };
  }
  return {
    says: [
      `${runtime}: ${drifted.length} ${of} are not ${where}.${left}`,
      ...drifted.map((one) => `  ${describeDrifted(one, version)}`),
      ...rest,
    ],
    commands: commandsFor(runtimeId, drift, isOne, engine),
  };
}

/** So many endpoints are named in a command. */
const MOST_NAMED = 20;

/** Endpoints with versions of their own are selected, so that nothing else is rolled. */
function commandsFor(
  runtimeId: string,
  { drifted }: Compared,
  isOneVersion: boolean,
  engine: string,
): string[] {
  const commands = [...Map.groupBy(drifted, ({ version }) => version)].flatMap(([version, own]) => {
    if (!isOneVersion && own.length > MOST_NAMED) return [];
    const ids = own.map(({ endpointId }) => endpointId).join(',');
    const select = isOneVersion ? [] : ['--select', ids];
    const isDown = own.some(({ liveVersion }) => (liveVersion ?? 0) > version);
    const down = isDown ? ['--allow-downgrade'] : [];
    const words = ['rollout', 'start', runtimeId, '--version', `${version}`, ...select, ...down];
    return [commandOf(words, engine)];
  });
  return commands;
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
      ? 'moved since then, by no rollout'
      : `moved by rollout ${by} at ${dateTime(since)}`;
  const why = {
    late: 'it came later',
    left: 'the rollout succeeded without it',
    failed: 'its status is a failure',
    moved,
  }[kind];
  return `${name}: ${live}${wanted}, ${why}`;
}
