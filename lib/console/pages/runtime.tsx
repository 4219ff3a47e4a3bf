import { useState } from 'preact/hooks';
import { describeDuration } from '../../domain/durations.ts';
import { dateMinute } from '../../domain/local-time.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { plainText } from '../../telling/text.ts';
import { nameOfRollout } from '../../telling/words/name.ts';
import type { DriftStory, OpenRollouts, RuntimeStory } from '../desk.ts';
import { Badge, stateOfEnded, stateOfOpen } from './badge.tsx';
import { Command } from './command.tsx';
import { Cut } from './cut.tsx';
import { useRead } from './fresh.ts';
import { HoldOne } from './holds.tsx';
import { ListTable } from './list-table.tsx';
import { OpenRow } from './open-row.tsx';
import { rolloutPath } from './route.ts';
import { type SearchedRow, SearchedTable } from './searched-table.tsx';
import { Title } from './title.tsx';
import { Trouble } from './trouble.tsx';
import { VersionLanes } from './version-lanes.tsx';
import { When } from './when.tsx';

interface RuntimeProps {
  readonly runtimeId: string;
  readonly look: OpenRollouts | null;
}

/** One runtime or group: what is live on it since when, what failed and why, and how long its rollouts took. */
export function RuntimePage({ runtimeId, look }: RuntimeProps) {
  const [most, setMost] = useState(FEW);
  const open = look?.rollouts.filter((one) => one.runtimeId === runtimeId) ?? [];
  const news = open.map(({ rolloutId }) => rolloutId).join();
  const path = `/api/runtimes/${encodeURIComponent(runtimeId)}`;
  const { data: story, fault } = useRead<RuntimeStory>(`${path}?versions=${most}`, news);
  const isGroup = groupNameOf(runtimeId) !== null;
  const noun = isGroup ? 'runtime' : 'endpoint';
  const [first] = open;
  const state = first && stateOfOpen(first);
  return (
    <>
      <div class="head">
        <Title text={plainText(runtimeId)} state={state?.word ?? ''} tone={state?.tone} />
        {!isGroup && (
          <a class="button" href={`/rehearsal?runtime=${encodeURIComponent(runtimeId)}`}>
            Rehearse its next version
          </a>
        )}
        {look && <HoldOne runtimeId={runtimeId} look={look} />}
      </div>
      <Trouble fault={fault} />
      {story !== null && story.newest.length > 0 && <Live story={story} noun={noun} />}
      {look !== null && open.length > 0 && (
        <section aria-labelledby="open">
          <h2 id="open">Under way</h2>
          <div class="rows">
            {open.map((rollout) => (
              <OpenRow key={rollout.rolloutId} {...{ rollout, look }} />
            ))}
          </div>
        </section>
      )}
      {story === null && fault === null && <p>Reading …</p>}
      {story !== null && story.newest.length === 0 && <p>There is no rollout of it.</p>}
      {story !== null && story.newest.length > 0 && (
        <>
          {!isGroup && <Drifted path={path} news={news} />}
          <Now story={story} noun={noun} pins={pinsOn(runtimeId, look)} />
          <Failures story={story} onMore={() => setMost(story.versions.length + 4 * FEW)} />
          <Durations newest={story.newest} />
          <Endpoints story={story} noun={noun} />
        </>
      )}
    </>
  );
}

interface DriftedProps {
  readonly path: string;
  readonly news: string;
}

/** What has left the version to which rollouts brought it. The service is asked, once for each visit and each rollout. */
function Drifted({ path, news }: DriftedProps) {
  const { data, fault } = useRead<DriftStory>(`${path}/drift`, news);
  const [first = '', ...rest] = data?.says ?? [];
  return (
    <section aria-labelledby="drift">
      <h2 id="drift">Drift</h2>
      {data === null && <p>{fault === null ? 'Asking the service …' : <Cut text={fault} />}</p>}
      {data !== null && (
        <p class={data.hasDrifted ? 'trouble' : ''}>
          <Cut text={first} />
        </p>
      )}
      {rest.length > 0 && (
        <div class="told">
          <ul>
            {rest.map((line) => (
              <li key={line}>
                <Cut text={line.trim()} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {data?.commands.map((line) => (
        <Command key={line} line={line} />
      ))}
    </section>
  );
}

type Known = RuntimeStory['endpoints'][number]['inTime'][number];

interface Last extends Known {
  /** Whether it may have been so before: nobody has seen it begin. */
  readonly isFound: boolean;
}

/** What was known last of an endpoint. */
function lastOf({ inTime }: RuntimeStory['endpoints'][number]): Last | undefined {
  const place = inTime.findLastIndex(({ live }) => live !== null);
  const known = inTime[place];
  return known && { ...known, isFound: place === 0 };
}

function Since({ last: { at, isFound } }: { readonly last: Pick<Last, 'at' | 'isFound'> }) {
  return (
    <>
      {isFound && 'at least since '}
      <When at={at} />
    </>
  );
}

function wordsOf(live: Known['live'] | undefined): string {
  if (live === undefined || live === null) return 'not known';
  if (typeof live === 'number') return `version ${live}`;
  return live === 'moving' ? 'in mid-roll' : live;
}

function isVersion(words: string): boolean {
  return words.startsWith('version');
}

interface OfRuntime {
  readonly story: RuntimeStory;
  readonly noun: string;
}

/** The version that is live on most, on how many, and since when. */
function Live({ story: { endpoints }, noun }: OfRuntime) {
  const known = endpoints.map(lastOf);
  const groups = [...Map.groupBy(known, (one) => wordsOf(one?.live))].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  const [[words = '', own = []] = [], ...others] = groups;
  if (own.length === 0) return null;
  const [since] = own.flatMap((one) => one ?? []).toSorted((one, other) => other.at - one.at);
  return (
    <p class="live-version">
      <strong>{words}</strong> on {own.length} of {endpoints.length}{' '}
      {endpoints.length === 1 ? noun : `${noun}s`}
      {since !== undefined && (
        <>
          , {!since.isFound && 'since '}
          <Since last={since} />
        </>
      )}
      {others.length > 0 && (
        <span>
          .{' '}
          {others
            .map(([what, { length }]) => `${length} ${isVersion(what) ? `on ${what}` : what}`)
            .join(', ')}
        </span>
      )}
    </p>
  );
}

/** Whose the pins of its endpoints are, and why, by the ids of the endpoints. */
function pinsOn(runtimeId: string, look: OpenRollouts | null): ReadonlyMap<string, string> {
  const own = look?.holds.filter(({ kinds, scope }) => {
    return kinds.includes('pin') && scope.runtimeId === runtimeId;
  });
  return new Map(
    own?.map(({ scope, by, reason }) => [
      scope.endpointId ?? '',
      plainText(`pinned by ${by}: ${reason}`),
    ]),
  );
}

/** What is live on each endpoint, as far as rollouts know, with a search. */
function Now({
  story: { endpoints },
  noun,
  pins,
}: OfRuntime & { readonly pins: ReadonlyMap<string, string> }) {
  const known = endpoints.map((one) => {
    const last = lastOf(one);
    return { one, last, words: wordsOf(last?.live) };
  });
  // What most endpoints have is no news.
  const alike = Map.groupBy(known, ({ words }) => words);
  const countOf = ({ words }: (typeof known)[number]) => alike.get(words)?.length ?? 0;
  const inOrder = known.toSorted((one, other) => countOf(one) - countOf(other));
  const rows = inOrder.map(({ one, last, words }): SearchedRow => {
    const pin = pins.get(one.endpointId);
    const live = pin === undefined ? words : `${words}, ${pin}`;
    return {
      key: one.name,
      text: `${plainText(one.name)} ${live}`,
      cells: () => [<Name key="name" of={one} />, live, last && <Since key="since" last={last} />],
    };
  });
  return (
    <section aria-labelledby="now">
      <h2 id="now">Live now, as far as rollouts know</h2>
      <SearchedTable
        title="now"
        label={`Find ${noun === 'runtime' ? 'a runtime' : 'an endpoint'} or a version`}
        columns={[titleOf(noun), 'Live', 'Since']}
        few={10}
        rows={rows}
      />
    </section>
  );
}

function titleOf(noun: string): string {
  return noun === 'runtime' ? 'Runtime' : 'Endpoint';
}

function Name({ of }: { readonly of: Pick<RuntimeStory['endpoints'][number], 'name'> }) {
  const name = plainText(of.name);
  return (
    <span class="name" title={name}>
      {name}
    </span>
  );
}

interface FailuresProps {
  readonly story: Pick<RuntimeStory, 'versions' | 'versionsFound'>;
  readonly onMore: () => void;
}

/** The versions with which something went wrong, the newest first, and why. */
function Failures({ story: { versions, versionsFound }, onMore }: FailuresProps) {
  const failed = versions.flatMap(({ version, ends, lastFailure }) => {
    if (lastFailure === null) return [];
    const { rolloutId, message } = lastFailure;
    const why = (
      <a class="long" href={rolloutPath(rolloutId)}>
        {plainText(message)}
      </a>
    );
    const counts = Object.entries(ends).map(([kind, count]) => `${count} ${kind.toLowerCase()}`);
    return [
      { key: version, cells: [<strong key="version">{version}</strong>, why, counts.join(', ')] },
    ];
  });
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">Which versions failed</h2>
      <ListTable
        title="versions"
        look="past"
        named={1}
        caption={`${failed.length} of the newest ${versions.length} versions of ${versionsFound}`}
        columns={['Version', 'Why, the last time', 'Its rollouts']}
        rows={failed}
        onMore={versionsFound > versions.length ? onMore : null}
      />
    </section>
  );
}

/** How the newest rollouts ended, and how long they took, to scale. */
function Durations({ newest }: Pick<RuntimeStory, 'newest'>) {
  const longest = Math.max(...newest.map(({ seconds }) => seconds ?? 0), 1);
  const rows = newest.map((rollout) => {
    const { rolloutId, startedAt, seconds, rollSeconds } = rollout;
    const name = nameOfRollout(rollout);
    const width = `${(100 * (seconds ?? 0)) / longest}%`;
    return {
      key: rolloutId,
      cells: [
        <Badge key="badge" {...stateOfEnded(rollout)} />,
        <a key="name" class="name" href={rolloutPath(rolloutId)} title={name}>
          {name}
        </a>,
        <When key="began" at={Date.parse(startedAt)} />,
        durationOf(seconds),
        <svg key="scale" width="160" height="10" aria-hidden="true">
          <rect class="took" width={width} height="10" rx="2" />
        </svg>,
        durationOf(rollSeconds),
      ],
    };
  });
  return (
    <section aria-labelledby="durations">
      <h2 id="durations">Rollouts</h2>
      <ListTable
        title="durations"
        named={1}
        caption={`The newest ${newest.length}`}
        columns={['Outcome', 'Rollout', 'Began', 'Took', 'To scale', 'A roll took about']}
        {...{ rows }}
      />
    </section>
  );
}

function durationOf(seconds: number | null): string {
  return seconds === null ? '' : describeDuration(seconds * 1000);
}

const FEW = 50;

/** The version of each endpoint after each of the newest rollouts, in the order of time. */
function Endpoints({ story: { newest, endpoints }, noun }: OfRuntime) {
  const inTime = newest.map((rollout, index) => ({ rollout, index })).toReversed();
  const began = inTime.map(({ rollout: { rolloutId, startedAt } }) => (
    <a key={rolloutId} href={rolloutPath(rolloutId)}>
      {dateMinute(Date.parse(startedAt))}
    </a>
  ));
  const rows = endpoints.map(
    (one): SearchedRow => ({
      key: one.name,
      text: plainText(one.name),
      cells: () => [
        <Name key="name" of={one} />,
        ...inTime.map(({ rollout, index }) => (
          <span key={rollout.rolloutId} class={one.after[index] === null ? 'minor' : ''}>
            {one.after[index] ?? 'not in its plan'}
          </span>
        )),
      ],
    }),
  );
  return (
    <section aria-labelledby="live">
      <h2 id="live">Versions over time</h2>
      <VersionLanes endpoints={endpoints} noun={noun} />
      <details>
        <summary>As a table</summary>
        <SearchedTable
          title="live"
          label={`${titleOf(noun)}, to see what was live on it after each rollout`}
          columns={[titleOf(noun), ...began]}
          rows={rows}
        />
      </details>
    </section>
  );
}
