import { useEffect, useState } from 'preact/hooks';
import { dateTime, plainText } from '../cli/terminal/text.ts';
import type { Look, RuntimeStory } from '../console/desk.ts';
import type { ListedRollout } from '../contract/output/listed.ts';
import { describeDuration } from '../domain/durations.ts';
import { groupNameOf } from '../domain/rollout/group.ts';
import { nameOfOutcome, OUTCOME_KINDS } from '../domain/rollout/outcome.ts';
import { nameOfRollout } from './names.ts';
import { rolloutPath } from './route.ts';
import { read } from './server.ts';
import { Title } from './title.tsx';
import { VersionLanes } from './version-lanes.tsx';
import { Wide } from './wide.tsx';

interface RuntimeProps {
  readonly runtimeId: string;
  readonly look: Look | null;
}

/** One runtime or group: how long its rollouts took, which versions failed, and what was live when. */
export function RuntimePage({ runtimeId, look }: RuntimeProps) {
  const [story, setStory] = useState<RuntimeStory | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [most, setMost] = useState(FEW);
  const open = look?.rollouts.filter((one) => one.runtimeId === runtimeId) ?? [];
  const news = open.map(({ rolloutId }) => rolloutId).join();
  useEffect(() => {
    const asking = new AbortController();
    const path = `/api/runtimes/${encodeURIComponent(runtimeId)}?versions=${most}`;
    read<RuntimeStory>(path, asking.signal).then(
      setStory,
      (error: Error) => asking.signal.aborted || setFault(error.message),
    );
    return () => asking.abort();
  }, [runtimeId, news, most]);
  const isGroup = groupNameOf(runtimeId) !== null;
  return (
    <>
      <Title text={plainText(runtimeId)} />
      {fault !== null && (
        <p class="trouble" role="alert">
          {fault}
        </p>
      )}
      {!isGroup && (
        <p>
          <a href={`/rehearsal?runtime=${encodeURIComponent(runtimeId)}`}>
            Rehearse its next version
          </a>
        </p>
      )}
      {open.map((rollout) => (
        <p key={rollout.rolloutId} class="wants">
          <a href={rolloutPath(rollout.rolloutId)}>{nameOfRollout(rollout)}</a>: {rollout.state}
        </p>
      ))}
      {story === null && fault === null && <p>Reading …</p>}
      {story !== null && story.newest.length === 0 && <p>There is no rollout of it.</p>}
      {story !== null && story.newest.length > 0 && (
        <>
          <Durations newest={story.newest} />
          <Versions story={story} onMore={() => setMost(story.versions.length + 4 * FEW)} />
          <Endpoints story={story} noun={isGroup ? 'runtime' : 'endpoint'} />
        </>
      )}
    </>
  );
}

/** How long the newest rollouts took, to scale. */
function Durations({ newest }: Pick<RuntimeStory, 'newest'>) {
  const longest = Math.max(...newest.map(({ seconds }) => seconds ?? 0), 1);
  return (
    <section aria-labelledby="durations">
      <h2 id="durations">How long rollouts took</h2>
      <Wide title="durations">
        <table class="list">
          <caption>The newest {newest.length}</caption>
          <thead>
            <tr>
              <th scope="col">Rollout</th>
              <th scope="col">Began</th>
              <th scope="col">Outcome</th>
              <th scope="col">Took</th>
              <th scope="col">To scale</th>
              <th scope="col">A roll took about</th>
            </tr>
          </thead>
          <tbody>
            {newest.map((rollout) => (
              <tr key={rollout.rolloutId}>
                <th scope="row">
                  <a href={rolloutPath(rollout.rolloutId)}>{nameOfRollout(rollout)}</a>
                </th>
                <td>{dateTime(Date.parse(rollout.startedAt))}</td>
                <td>{outcomeOf(rollout)}</td>
                <td>{durationOf(rollout.seconds)}</td>
                <td>
                  <svg width="160" height="14" aria-hidden="true">
                    <rect
                      class="took"
                      width={`${(100 * (rollout.seconds ?? 0)) / longest}%`}
                      height="14"
                    />
                  </svg>
                </td>
                <td>{durationOf(rollout.rollSeconds)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </section>
  );
}

function durationOf(seconds: number | null): string {
  return seconds === null ? '' : describeDuration(seconds * 1000);
}

function outcomeOf({ outcome, reason }: ListedRollout): string {
  if (outcome === null) return 'under way';
  return outcome === 'Succeeded'
    ? outcome
    : plainText(nameOfOutcome({ outcome, reason: reason ?? '' }));
}

interface VersionsProps {
  readonly story: Pick<RuntimeStory, 'versions' | 'versionsFound'>;
  readonly onMore: () => void;
}

/** How the rollouts to each version have ended, the newest version first. */
function Versions({ story: { versions, versionsFound }, onMore }: VersionsProps) {
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">Which versions failed</h2>
      <Wide title="versions">
        <table class="list">
          <caption>
            How the rollouts to each version have ended
            {versionsFound > versions.length &&
              `, the newest ${versions.length} of ${versionsFound} versions`}
          </caption>
          <thead>
            <tr>
              <th scope="col">Version</th>
              {OUTCOME_KINDS.map((kind) => (
                <th scope="col" key={kind}>
                  {kind}
                </th>
              ))}
              <th scope="col">The last failure</th>
            </tr>
          </thead>
          <tbody>
            {versions.map(({ version, ends, lastFailure }) => (
              <tr key={version}>
                <th scope="row">{version}</th>
                {OUTCOME_KINDS.map((kind) => (
                  <td key={kind}>{ends[kind] ?? ''}</td>
                ))}
                <td class="long">
                  {lastFailure && (
                    <a href={rolloutPath(lastFailure.rolloutId)}>
                      {plainText(lastFailure.message)}
                    </a>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
      {versionsFound > versions.length && (
        <button type="button" onClick={onMore}>
          Show more versions
        </button>
      )}
    </section>
  );
}

const FEW = 50;

/** The version of each endpoint after each of the newest rollouts, in the order of time. */
function Endpoints({
  story: { newest, endpoints },
  noun,
}: {
  readonly story: RuntimeStory;
  readonly noun: string;
}) {
  const [most, setMost] = useState(FEW);
  const inTime = newest.map((rollout, index) => ({ rollout, index })).toReversed();
  return (
    <section aria-labelledby="live">
      <h2 id="live">Versions over time</h2>
      <VersionLanes endpoints={endpoints} noun={noun} />
      <Wide title="live">
        <table class="list">
          <caption>
            What was live after each rollout
            {endpoints.length > most && `, the first ${most} of ${endpoints.length}`}
          </caption>
          <thead>
            <tr>
              <th scope="col">{noun === 'runtime' ? 'Runtime' : 'Endpoint'}</th>
              {inTime.map(({ rollout }) => (
                <th scope="col" key={rollout.rolloutId}>
                  <a href={rolloutPath(rollout.rolloutId)}>
                    {dateTime(Date.parse(rollout.startedAt)).replace(/:\d\dZ$/, 'Z')}
                  </a>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {endpoints.slice(0, most).map(({ name, after }) => (
              <tr key={name}>
                <th scope="row">{plainText(name)}</th>
                {inTime.map(({ rollout, index }) => (
                  <td key={rollout.rolloutId} class={after[index] === null ? 'same' : ''}>
                    {after[index] ?? 'not in its plan'}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
      {endpoints.length > most && (
        <button type="button" onClick={() => setMost(most + 10 * FEW)}>
          Show more
        </button>
      )}
    </section>
  );
}
