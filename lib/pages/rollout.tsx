import { useEffect, useState } from 'preact/hooks';
import { plainText } from '../cli/terminal/text.ts';
import { dateTime } from '../cli/terminal/times.ts';
import type { Look, Story } from '../console/desk.ts';
import { nameOfRollout, starterOf } from './names.ts';
import { rolloutPath } from './route.ts';
import { read } from './server.ts';
import { Timeline } from './timeline.tsx';
import { Title } from './title.tsx';

interface RolloutProps {
  readonly rolloutId: string;
  readonly look: Look | null;
}

/** The story of one rollout. */
export function RolloutPage({ rolloutId, look }: RolloutProps) {
  const open = look?.rollouts.find((one) => one.rolloutId === rolloutId);
  const { story, fault } = useStory(rolloutId, open?.stamp ?? (look === null ? null : 'ended'));
  if (fault !== null) {
    return (
      <>
        <Title text="Rollout" />
        <p class="trouble" role="alert">
          {fault}
        </p>
      </>
    );
  }
  if (story === null) return <Title text="Rollout">Reading …</Title>;
  const { report, wants, hints, plan, course, happenings, fates } = story;
  return (
    <>
      <Title text={nameOfRollout(report)} />
      <p class="minor">
        Rollout <code>{plainText(report.rolloutId)}</code>, started by {starterOf(report)},{' '}
        {dateTime(Date.parse(report.startedAt))}
        {report.parent !== null && (
          <>
            , of the rollout <a href={rolloutPath(report.parent)}>{plainText(report.parent)}</a>
          </>
        )}
      </p>
      <Lines class={`state outcome ${report.outcome}`} lines={open ? [open.state] : story.state} />
      <Lines class="wants" lines={[...(open?.wants ?? wants), ...hints]} />
      <section aria-labelledby="time">
        <h2 id="time">In time</h2>
        <Timeline course={open?.course ?? course} caption="What it did" />
      </section>
      <section aria-labelledby="happened">
        <h2 id="happened">What happened, in UTC</h2>
        <ol class="news">
          {happenings.map(({ at, kind, text }) => (
            <li key={`${at} ${text}`} class={kind}>
              <time>{dateTime(at)}</time> {text}
            </li>
          ))}
        </ol>
      </section>
      <section aria-labelledby="endpoints">
        <h2 id="endpoints">Endpoints</h2>
        <Lines class="fates" lines={fates} />
      </section>
      <section aria-labelledby="plan">
        <h2 id="plan">Plan</h2>
        <pre>{plan.join('\n')}</pre>
      </section>
    </>
  );
}

/** Lines that belong together. Those that are commands stand apart. */
function Lines({
  lines,
  class: name,
}: {
  readonly lines: readonly string[];
  readonly class: string;
}) {
  if (lines.length === 0) return null;
  return (
    <div class={name}>
      {lines.map((line) =>
        line.startsWith('  steproll ') ? (
          <pre key={line}>{line.trim()}</pre>
        ) : (
          <p key={line}>{line}</p>
        ),
      )}
    </div>
  );
}

/** The story, read anew when its stamp changes. */
function useStory(rolloutId: string, stamp: string | null) {
  const [story, setStory] = useState<Story | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    const asking = new AbortController();
    read<Story>(`/api${rolloutPath(rolloutId)}`, asking.signal).then(
      (found) => {
        setStory(found);
        setFault(null);
      },
      (error: Error) => asking.signal.aborted || setFault(error.message),
    );
    return () => asking.abort();
  }, [rolloutId, stamp]);
  return { story, fault };
}
