import { useEffect, useState } from 'preact/hooks';
import runbook from '../../docs/runbook.md';
import { dateTime, plainText } from '../cli/terminal/text.ts';
import type { Look, Story } from '../console/desk.ts';
import { nounOf } from '../domain/rollout/group.ts';
import type { Course } from '../domain/story/course.ts';
import { Acting } from './acting.tsx';
import { EndpointGrid, nameOfEndpoint } from './endpoint-grid.tsx';
import { laneOf } from './endpoint-life.ts';
import { EndpointTable } from './endpoint-table.tsx';
import { Gates } from './gates.tsx';
import { LaneRows } from './lanes.tsx';
import { nameOfRollout, startOf } from './names.ts';
import { rolloutPath, runtimePath } from './route.ts';
import { read } from './server.ts';
import { Timeline } from './timeline.tsx';
import { Title } from './title.tsx';
import { WaveBars } from './wave-bars.tsx';

interface RolloutProps {
  readonly rolloutId: string;
  readonly look: Look | null;
}

/** The story of one rollout. */
export function RolloutPage({ rolloutId, look }: RolloutProps) {
  const open = look?.rollouts.find((one) => one.rolloutId === rolloutId);
  const { story, ahead, fault } = useStory(rolloutId, open?.stamp ?? (look && 'ended'));
  const trouble = fault !== null && (
    <p class="trouble" role="alert">
      {fault}
    </p>
  );
  if (story === null) {
    return trouble ? (
      <>
        <Title text="Rollout" />
        {trouble}
      </>
    ) : (
      <p>Reading …</p>
    );
  }
  const { report, wants, hints, plan } = story;
  const noun = nounOf(report.runtimeId);
  const course = open?.course ?? story.course;
  return (
    <>
      <Title text={nameOfRollout(report)} />
      {trouble}
      <p class="minor">
        Rollout <code>{plainText(report.rolloutId)}</code>, started by {startOf(report)}
        {report.parent !== null && (
          <>
            , of the rollout <a href={rolloutPath(report.parent)}>{plainText(report.parent)}</a>
          </>
        )}
        . <a href={runtimePath(report.runtimeId)}>All of {plainText(report.runtimeId)}</a>
      </p>
      <Lines class="state" lines={open ? [open.state] : story.state} />
      <Lines class="wants" lines={[...(open?.wants ?? wants), ...hints]} />
      <Runbook report={report} />
      <Acting story={story} open={open ?? null} />
      <section aria-labelledby="time">
        <h2 id="time">In time</h2>
        {open && <WaveBars waves={open.waves} />}
        <Timeline
          course={course}
          ahead={ahead}
          caption={ahead === null ? 'What it did' : 'What it did, above what was planned'}
          below={(from, to) => (
            <LaneRows
              lanes={report.endpoints.map((one) =>
                laneOf(nameOfEndpoint(one), one, from, from + course.totalMs),
              )}
              {...{ from, to, noun }}
            />
          )}
        />
      </section>
      <Gates report={report} />
      <section aria-labelledby="endpoints">
        <h2 id="endpoints">{noun === 'runtime' ? 'Runtimes' : 'Endpoints'}</h2>
        <ul class="fates" aria-label="What became of them">
          {story.fates.map(({ fate, text }) => (
            <li key={text} class={fate}>
              {text}
            </li>
          ))}
        </ul>
        <EndpointGrid story={story} noun={noun} />
        <EndpointTable story={story} />
      </section>
      <Children story={story} />
      <section aria-labelledby="happened">
        <h2 id="happened">What happened, in UTC</h2>
        <Happenings story={story} />
      </section>
      <section aria-labelledby="plan">
        <h2 id="plan">Plan</h2>
        {plan.length === 0 ? <p>It has no plan yet.</p> : <pre>{plan.join('\n')}</pre>}
      </section>
    </>
  );
}

/** The rollouts of the runtimes of a group. */
function Children({ story: { report } }: { readonly story: Story }) {
  if (report.children.length === 0) return null;
  return (
    <section aria-labelledby="children">
      <h2 id="children">Rollouts of its runtimes</h2>
      <ul class="news">
        {report.children.map(({ rolloutId, runtimeId, outcome, message }) => (
          <li key={rolloutId} class={`outcome ${outcome}`}>
            <a href={rolloutPath(rolloutId)}>{plainText(runtimeId)}</a>:{' '}
            {outcome === null ? 'under way' : plainText(`${outcome}. ${message}`)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Happenings({ story: { happenings } }: { readonly story: Story }) {
  const [kind, setKind] = useState('');
  const shown = happenings.filter((one) => kind === '' || one.kind === kind);
  return (
    <>
      <div class="field">
        <label for="kind">Show</label>
        <select id="kind" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
          <option value="">everything</option>
          <option value="event">decisions</option>
          <option value="signal">what people said</option>
          <option value="writes">writes</option>
        </select>
      </div>
      {shown.length === 0 && <p>Nothing of this kind.</p>}
      <ol class="news">
        {shown.map(({ at, kind, text }) => (
          <li key={`${at} ${text}`} class={kind}>
            <time>{dateTime(at)}</time> {text}
          </li>
        ))}
      </ol>
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

/** The section of the runbook for how the rollout ended. There is none for one that is under way or did well. */
function Runbook({ report: { outcome, reason } }: Pick<Story, 'report'>) {
  if (outcome !== 'Failed' && outcome !== 'Errored') return null;
  const title = reason?.startsWith('Execution') ? 'The janitor had work' : 'A rollout failed';
  const text = runbook.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? '';
  return (
    <details>
      <summary>The runbook: {title}</summary>
      <pre>{text.slice(title.length).trim()}</pre>
    </details>
  );
}

/** The story, read anew when its stamp changes, and how the rollout was expected to go. */
function useStory(rolloutId: string, stamp: string | null) {
  const [story, setStory] = useState<Story | null>(null);
  const [ahead, setAhead] = useState<Course | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const path = `/api${rolloutPath(rolloutId)}`;
  useEffect(() => {
    const asking = new AbortController();
    read<Story>(path, asking.signal).then(
      (found) => {
        setStory(found);
        setFault(null);
      },
      (error: Error) => asking.signal.aborted || setFault(error.message),
    );
    return () => asking.abort();
  }, [path, stamp]);
  const hasPlan = story !== null && story.plan.length > 0;
  useEffect(() => {
    if (!hasPlan) return;
    // Without it, what was done is shown all the same.
    const take = ({ course }: { readonly course: Course | null }) => setAhead(course);
    read<{ readonly course: Course | null }>(`${path}/ahead`).then(take, () => undefined);
  }, [path, hasPlan]);
  return { story, ahead, fault };
}
