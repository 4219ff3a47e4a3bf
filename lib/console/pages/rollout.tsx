import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { describeDuration } from '../../domain/durations.ts';
import { groupIdOf, nounOf } from '../../domain/rollout/group.ts';
import type { Course } from '../../telling/story/course.ts';
import { plainText } from '../../telling/text.ts';
import { nameOfRollout } from '../../telling/words/name.ts';
import type { Attempt, Offer, OpenRollouts, ToldRollout } from '../desk.ts';
import { Acting, type ActingProps } from './acting.tsx';
import { Badge, stateOfEnded, stateOfOpen } from './badge.tsx';
import { Children, WantingChildren } from './children.tsx';
import { Command } from './command.tsx';
import { Cut } from './cut.tsx';
import { EndpointGrid, nameOfEndpoint } from './endpoint-grid.tsx';
import { laneOf } from './endpoint-life.ts';
import { EndpointTable } from './endpoint-table.tsx';
import { useRead } from './fresh.ts';
import { GateLines, Gates } from './gates.tsx';
import { LaneRows } from './lanes.tsx';
import { Later, part } from './later.tsx';
import { imperative, sentencesIn, sentencesOf, starterOf } from './names.ts';
import { News } from './news.tsx';
import { rolloutPath, runtimePath } from './route.ts';
import { Runbook } from './runbook.tsx';
import { sectionFor } from './runbook-section.ts';
import { Timeline } from './timeline.tsx';
import { Title } from './title.tsx';
import { Trouble } from './trouble.tsx';
import { Waves, wavesAtEnd } from './wave-bars.tsx';
import { When } from './when.tsx';

interface RolloutProps {
  readonly rolloutId: string;
  readonly look: OpenRollouts | null;
}

/** The story of one rollout. */
export function RolloutPage({ rolloutId, look }: RolloutProps) {
  const open = look?.rollouts.find((one) => one.rolloutId === rolloutId) ?? null;
  const holds = look?.holds.map(({ id }) => id).join();
  const path = `/api${rolloutPath(rolloutId)}`;
  const firstHolds = useRef(holds);
  firstHolds.current ??= holds;
  const stamp = `${open?.stamp ?? (look && 'ended')} ${holds}`;
  const { data: story, fault } = useRead<ToldRollout>(path, stamp, (story) => {
    if (look === null) return true;
    const isSame = open ? open.stamp === story.stamp : story.report.outcome !== null;
    return isSame && holds === firstHolds.current;
  });
  const trouble = <Trouble fault={fault} />;
  if (story !== null) {
    return (
      <>
        <Head story={story} open={open} />
        {trouble}
        <Told story={story} open={open} look={look} path={path} />
      </>
    );
  }
  if (fault === null) return <p>Reading …</p>;
  return (
    <>
      <Title text="Rollout" />
      {trouble}
    </>
  );
}

interface ToldProps extends Omit<ActingProps, 'ahead'> {
  readonly path: string;
}

function Told({ story, open, look, path }: ToldProps) {
  const hasPlan = story.plan.length > 0;
  const { data: told, fault: noCourse } = useRead<{ readonly course: Course | null }>(
    hasPlan ? `${path}/ahead` : null,
  );
  const { report } = story;
  const ahead = told?.course ?? null;
  // A picture whose scale is not known yet would jump.
  const isScaled = !hasPlan || told !== null || noCourse !== null;
  return (
    <>
      <Next story={story} open={open} look={look} ahead={ahead} />
      <div class="columns">
        <div>
          <Children runtimes={report.children} look={look} />
          <Endpoints story={story} />
          {report.endpoints.length > 0 && (
            <section aria-labelledby="time">
              <h2 id="time">Timeline</h2>
              <Waves waves={open?.waves ?? wavesAtEnd(report)} isOver={report.outcome !== null} />
              {isScaled && <InTime story={story} open={open} ahead={ahead} />}
            </section>
          )}
          <Gates report={report} course={open?.course ?? story.course} />
          <section aria-labelledby="happened">
            <h2 id="happened">What happened, in UTC</h2>
            <Happenings story={story} />
          </section>
        </div>
        <aside aria-label="Facts">
          <Facts story={story} />
          <details>
            <summary>Plan</summary>
            {hasPlan ? <pre>{story.plan.join('\n')}</pre> : <p>It has no plan yet.</p>}
          </details>
          <RunbookFor report={report} runsHere={look?.runsHere ?? true} />
        </aside>
      </div>
    </>
  );
}

// Only its text: a script of its own would cut what all pages share into more files.
const runbook = part(() => import('../../../docs/runbook.md'));

function RunbookFor(props: { readonly report: ToldRollout['report']; readonly runsHere: boolean }) {
  const section = sectionFor(props.report, props.runsHere);
  if (section === null) return null;
  return <Later part={runbook}>{({ default: text }) => <Runbook {...props} text={text} />}</Later>;
}

function Endpoints({ story }: { readonly story: ToldRollout }) {
  const { report, fates } = story;
  const noun = nounOf(report.runtimeId);
  const isEmpty = report.endpoints.length === 0;
  const [, ...rest] = toldOfEnd(story);
  return (
    <section aria-labelledby="endpoints">
      <h2 id="endpoints">{noun === 'runtime' ? 'Runtimes' : 'Endpoints'}</h2>
      {isEmpty && <p>It has no plan, so it has rolled nothing.</p>}
      {!isEmpty && rest.length > 0 && (
        <p>
          <Cut text={rest.join(' ')} />
        </p>
      )}
      <ul class="fates" aria-label="What became of them">
        {fates.map(({ fate, text }) => (
          <li key={text} class={fate}>
            <Cut text={text} />
          </li>
        ))}
      </ul>
      <EndpointGrid story={story} noun={noun} />
      {!isEmpty && <EndpointTable story={story} />}
    </section>
  );
}

/** What it is, and how it stands, in one word and in one sentence. */
function Head({ story, open }: Pick<ActingProps, 'story' | 'open'>) {
  const { report } = story;
  const state = open === null ? stateOfEnded(report) : stateOfOpen(open);
  const [cause = '', ...more] = open ? [] : toldOfEnd(story);
  const way = report.rollback !== null || report.revert !== null;
  return (
    <div class="head">
      <Badge {...state} />
      <Title text={nameOfRollout(report)} state={state.word} tone={state.tone} />
      {way && state.tone !== 'way-back' && (
        <Badge tone="way-back" word={report.outcome === null ? 'On its way back' : 'Went back'} />
      )}
      <div class="lead">
        <p class={open ? 'state' : ''}>
          <Cut text={open ? (open.isAbandoned ? open.stage : open.state) : cause} />
        </p>
        {report.endpoints.length === 0 && more.length > 0 && (
          <p>
            <Cut text={more.join(' ')} />
          </p>
        )}
        {open?.isAbandoned && (
          <p>
            Last heard of <When at={open.at} />.
          </p>
        )}
      </div>
    </div>
  );
}

/** Sentence by sentence how it ended: its cause, and then what was done and how it stands. */
function toldOfEnd({ report, state }: ToldRollout): readonly string[] {
  if (report.outcome === null) return [];
  return state.slice(1).flatMap((line) => sentencesOf(line.trim()));
}

/** What it wants people to do, and what they may do. */
function Next({ story, open, look, ahead }: ActingProps) {
  const { report } = story;
  const wants = open?.wants ?? report.wants;
  const sentences = sentencesIn(wants);
  const typed = wants.flatMap(({ commands }) => commands);
  const hints = report.next.filter((one) => mayHelp(one, story));
  const commands = [...typed, ...hints.flatMap(({ command }) => command ?? [])];
  const isQuiet = wants.length + hints.length === 0;
  return (
    <section class={`next ${isQuiet ? 'quiet' : ''}`} aria-label="What you can do">
      {report.later !== null && (
        <p>
          <a href={rolloutPath(report.later.rolloutId)}>{report.later.message}</a>
        </p>
      )}
      {sentences.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {open !== null && <GateLines gates={story.gates} />}
      {open?.forecast != null && <p>{open.forecast}</p>}
      {open !== null && <WantingChildren of={open} look={look} />}
      {hints.map(({ purpose }) => (
        <p key={purpose}>{imperative(purpose)}.</p>
      ))}
      <WhyNot offer={story.retry} what="A retry would not work" />
      <WhyNot offer={story.revert} what="A revert is not possible now" />
      {story.after !== null && (
        <p>
          Since then the same was tried again: <AttemptLink attempt={story.after} />.
        </p>
      )}
      <Acting story={story} open={open} look={look} ahead={ahead} />
      {commands.length > 0 && (
        <details open={open === null ? story.isAbandoned : open.isAbandoned || open.isStuck}>
          <summary>In a shell</summary>
          {commands.map((line) => (
            <Command key={line} line={line} />
          ))}
        </details>
      )}
    </section>
  );
}

type Step = ToldRollout['report']['next'][number];

/** What is known to come to nothing is no advice. */
function mayHelp({ step }: Step, { retry, revert }: ToldRollout): boolean {
  if (step === null || step === 'roll-newer') return true;
  const offer = step === 'take-back' ? revert : retry;
  return offer === null || 'says' in offer;
}

function WhyNot({ offer, what }: { readonly offer: Offer | null; readonly what: string }) {
  if (offer === null || 'says' in offer) return null;
  return (
    <p class="minor">
      {what}: <Cut text={offer.whyNot} />
    </p>
  );
}

function AttemptLink({ attempt: { rolloutId, outcome, at } }: { readonly attempt: Attempt }) {
  return (
    <>
      <a href={rolloutPath(rolloutId)}>{outcome === null ? 'under way' : outcome.toLowerCase()}</a>,{' '}
      <When at={at} />
    </>
  );
}

/** What people have said to waves that waited for them. */
function answersOf({ waves, log }: ToldRollout['report']) {
  const isSaid = (at: string) => log.some((one) => one.kind === 'signal' && one.at === at);
  return waves.flatMap(({ wave, gates }) =>
    gates
      .filter(({ kind, at }) => kind === 'approval' && isSaid(at))
      .map((gate) => ({ wave, ...gate })),
  );
}

interface FactProps {
  readonly name: string;
  readonly children: ComponentChildren;
}

function Fact({ name, children }: FactProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Facts({ story: { report, before, after } }: { readonly story: ToldRollout }) {
  const { startedBy, startedAt, endedAt, seconds, runtimeId, parent, group, revert } = report;
  return (
    <dl class="facts">
      <Fact name={nounOf(runtimeId) === 'runtime' ? 'Group' : 'Runtime'}>
        <a href={runtimePath(runtimeId)}>All of {plainText(runtimeId)}</a>
      </Fact>
      <Fact name="Started">
        <When at={Date.parse(startedAt)} /> by {starterOf(report)}
      </Fact>
      {startedBy.reason !== null && <Fact name="Why">{plainText(startedBy.reason)}</Fact>}
      {answersOf(report).map(({ wave, answer, message, at }) => (
        <Fact key={wave} name={`Wave ${wave} ${answer === 'yes' ? 'approved' : 'rejected'}`}>
          <When at={Date.parse(at)} /> by {plainText(message)}
        </Fact>
      ))}
      {endedAt !== null && (
        <Fact name="Ended">
          <When at={Date.parse(endedAt)} />
          {seconds !== null && `, after ${describeDuration(seconds * 1000)}`}
        </Fact>
      )}
      {parent !== null && (
        <Fact name="Of the group">
          <a href={rolloutPath(parent)}>{plainText(group === null ? parent : groupIdOf(group))}</a>
        </Fact>
      )}
      {revert !== null && (
        <Fact name="Undoes">
          <a href={rolloutPath(revert)}>
            <Cut text={plainText(revert)} />
          </a>
        </Fact>
      )}
      {before !== null && (
        <Fact name="Tried before">
          <AttemptLink attempt={before} />
        </Fact>
      )}
      {after !== null && (
        <Fact name="Tried again">
          <AttemptLink attempt={after} />
        </Fact>
      )}
      <Fact name="Beside another">
        <a href={`/compare?one=${encodeURIComponent(report.rolloutId)}`}>Compare</a>
      </Fact>
      <Fact name="Id">
        <code>{plainText(report.rolloutId)}</code>
      </Fact>
    </dl>
  );
}

/** Its stages and the life of each endpoint, at the scale of what happened. */
function InTime({ story: { report, course: known }, open, ahead }: Omit<ActingProps, 'look'>) {
  const course = open?.course ?? known;
  const isOver = report.outcome !== null;
  const moved = report.endpoints.filter(({ life }) => life.length > 0);
  const still = report.endpoints.length - moved.length;
  const noun = nounOf(report.runtimeId);
  return (
    <Timeline
      course={course}
      ahead={ahead}
      isOver={isOver}
      caption={ahead === null ? 'What it did' : 'What it did, above what was planned'}
      below={(from, to) => (
        <>
          <LaneRows
            lanes={moved.map((one) =>
              laneOf(nameOfEndpoint(one), one, from, from + course.totalMs),
            )}
            {...{ from, to, noun }}
          />
          {still > 0 && (
            <tbody>
              <tr>
                <th scope="row">{still} not rolled</th>
                <td />
                <td>Nothing was asked of {still === 1 ? 'it' : 'them'}.</td>
              </tr>
            </tbody>
          )}
        </>
      )}
    />
  );
}

const SHOWN: Readonly<Record<string, readonly string[]>> = { holds: ['waits', 'held', 'free'] };

function Happenings({ story: { happenings } }: { readonly story: ToldRollout }) {
  const [kind, setKind] = useState('');
  if (happenings.length === 0) return <p>Nothing yet.</p>;
  const shown = happenings.filter(
    (one) => kind === '' || one.kind === kind || SHOWN[kind]?.includes(one.kind),
  );
  return (
    <>
      <div class="field">
        <label for="kind">Show</label>
        <select id="kind" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
          <option value="">everything</option>
          <option value="event">decisions</option>
          <option value="signal">what people said</option>
          <option value="writes">writes</option>
          <option value="holds">holds and waits</option>
          <option value="gate">gates</option>
        </select>
      </div>
      {shown.length === 0 && <p>Nothing of this kind.</p>}
      <News lines={shown} />
    </>
  );
}
