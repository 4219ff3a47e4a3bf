import { dateTime } from '../../domain/local-time.ts';
import type { RuntimeStory } from '../desk.ts';
import { type Lane, LaneRows } from './lanes.tsx';
import { Axis } from './timeline.tsx';

type Endpoint = RuntimeStory['endpoints'][number];
type Live = Endpoint['inTime'][number]['live'];

interface VersionLanesProps extends Pick<RuntimeStory, 'endpoints'> {
  /** What the lanes are of: `endpoint` or `runtime`. */
  readonly noun: string;
}

/** What was live on each endpoint, to scale in time. Where nobody knows it, there is nothing. */
export function VersionLanes({ endpoints, noun }: VersionLanesProps) {
  const times = endpoints.flatMap(({ inTime }) => inTime.map(({ at }) => at));
  const from = times.reduce((first, at) => Math.min(first, at), Number.POSITIVE_INFINITY);
  const to = times.reduce((last, at) => Math.max(last, at), 0);
  if (to <= from) return null;
  const versions = versionsIn(endpoints);
  return (
    <>
      <table class="timeline">
        <caption>What was live when, to scale</caption>
        <Axis title="Name" labels={[dateTime(from), dateTime(to)]} beside="Known last" />
        <LaneRows lanes={endpoints.map((one) => laneOf(one, versions))} {...{ from, to, noun }} />
      </table>
      <ul class="fates" aria-label="Colours">
        {versions.map((version, index) => (
          <li key={version} class={kindOf(index)}>
            version {version}
          </li>
        ))}
        <li class="in-mid-roll">in mid-roll</li>
        <li class="stopped">stopped</li>
      </ul>
    </>
  );
}

function versionsIn(endpoints: readonly Endpoint[]): readonly number[] {
  const all = endpoints.flatMap(({ inTime }) => inTime.map(({ live }) => live));
  return [...new Set(all.filter((live) => typeof live === 'number'))].sort((a, b) => a - b);
}

/** So many versions have a colour of their own. */
const COLOURS = 6;

function kindOf(index: number): `version-${number}` {
  return `version-${index % COLOURS}`;
}

function laneOf({ name, inTime }: Endpoint, versions: readonly number[]): Lane {
  const parts = inTime.flatMap(({ live, at }, index): Lane['parts'][number][] => {
    const next = inTime[index + 1];
    if (live === null || next === undefined) return [];
    const span = { from: at, to: next.at };
    if (typeof live === 'string') return [{ ...span, kind: live === 'moving' ? 'rolling' : live }];
    return [{ ...span, kind: kindOf(versions.indexOf(live)), label: `${live}` }];
  });
  return { key: name, name, parts, words: wordsOf(inTime.findLast(({ live }) => live !== null)) };
}

function wordsOf(last: { readonly live: Live } | undefined): string {
  if (last === undefined) return '';
  return typeof last.live === 'number' ? `version ${last.live}` : `${last.live}`;
}
