import { Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { plainText } from '../../telling/text.ts';
import { nameOfRollout } from '../../telling/words/name.ts';
import type { OpenRollout, OpenRollouts, PastRollout, PastRollouts } from '../desk.ts';
import { Badge, stateOfEnded, type Tone } from './badge.tsx';
import { Command } from './command.tsx';
import { FindEndpoint, Found } from './found.tsx';
import { useRead } from './fresh.ts';
import { isQuiet, StopTheLine } from './holds.tsx';
import { imperative } from './names.ts';
import { CONCERNS, type Concern, concernOf, NextAct, OpenRow, wantsPeople } from './open-row.tsx';
import { Again, Past } from './past.tsx';
import { rolloutPath } from './route.ts';
import { Title } from './title.tsx';
import { Trouble } from './trouble.tsx';
import { When } from './when.tsx';

interface RolloutsProps {
  readonly search: string;
  readonly look: OpenRollouts | null;
}

/** What wants people, what has just failed, what is going on, and what happened. */
export function RolloutsPage({ search: asked, look }: RolloutsProps) {
  const params = new URLSearchParams(asked);
  const endpoint = params.get('endpoint');
  params.delete('endpoint');
  const search = params.size === 0 ? '' : `?${params}`;
  // Something has begun or ended, so the history may be another one.
  const news = look && `${look.newest} ${look.rollouts.map(({ rolloutId }) => rolloutId)}`;
  const { data: history, fault } = useRead<PastRollouts>(`/api/rollouts${search}`, news);
  const nodes = look === null ? [] : nodesOf(look);
  const latest = look === null || history === null ? null : layOut(look, nodes, history);
  const { layout, hold } = useSteady(latest, search);
  const summary = look === null ? null : summaryOf(nodes, history);
  useEffect(() => {
    // Who gets a link with filters wants to see what they find.
    if (layout !== null && search !== '' && isFirstView) {
      document.getElementById('history')?.scrollIntoView();
    }
    if (layout !== null) isFirstView = false;
  }, [layout === null]);
  return (
    <>
      <div class="head">
        <Title text="Rollouts" state={summary?.short ?? ''} tone={summary?.tone} />
        <Counts summary={summary} look={look} />
        <a href="#history">History</a>
        <FindEndpoint key={endpoint} asked={endpoint ?? ''} />
        {look && <StopTheLine look={look} />}
      </div>
      {endpoint && <Found text={endpoint} />}
      <Trouble fault={fault} />
      {/* What stands under the pointer stays there for as long as the pointer moves. */}
      <div class="board" onPointerMove={hold}>
        {layout !== null && look !== null && (
          <>
            <Section title="Wants you" nodes={layout.wants} look={look} />
            <Failed {...layout.history} failed={layout.failed} />
            <Section title="Under way" nodes={layout.underWay} look={look} />
            <Section title="Waiting" nodes={layout.waiting} look={look} />
            {layout.isEmpty ? (
              <Nothing />
            ) : (
              <Past search={asked} history={layout.history} look={look} />
            )}
          </>
        )}
      </div>
    </>
  );
}

let isFirstView = true;

/** An open rollout, with those of the runtimes of a group below it. */
interface Node {
  readonly rollout: OpenRollout;
  readonly concern: Concern;
  readonly children: readonly OpenRollout[];
}

interface Layout {
  readonly wants: readonly Node[];
  readonly failed: PastRollouts['failed'];
  readonly underWay: readonly Node[];
  readonly waiting: readonly Node[];
  readonly history: PastRollouts;
  readonly isEmpty: boolean;
}

function nodesOf({ rollouts }: OpenRollouts): readonly Node[] {
  const ids = new Set(rollouts.map(({ rolloutId }) => rolloutId));
  const runtimes = Map.groupBy(rollouts, ({ parent }) => parent);
  return rollouts
    .filter(({ parent }) => parent === null || !ids.has(parent))
    .toSorted((a, b) => b.startedAt.localeCompare(a.startedAt))
    .map((rollout): Node => {
      const concern = concernOf(rollout);
      const own = runtimes.get(rollout.rolloutId) ?? [];
      const wanting = own.filter((one) => wantsPeople(concernOf(one)));
      // All of a group has one process, and what goes well is no news beside what does not.
      const shown = concern === 'dead' ? [] : wantsPeople(concern) ? wanting : own;
      const children = shown.toSorted((a, b) => a.runtimeId.localeCompare(b.runtimeId));
      return { rollout, concern, children };
    })
    .toSorted((a, b) => CONCERNS.indexOf(a.concern) - CONCERNS.indexOf(b.concern));
}

function layOut(look: OpenRollouts, nodes: readonly Node[], history: PastRollouts): Layout {
  const of = (concern: Concern) => nodes.filter((one) => one.concern === concern);
  return {
    wants: nodes.filter(({ concern }) => wantsPeople(concern)),
    failed: history.failed,
    underWay: of('under way'),
    waiting: of('waiting'),
    history,
    isEmpty: look.newest === null && nodes.length === 0,
  };
}

/** For so many milliseconds after the pointer has moved, nothing comes, goes or changes its place. */
const STEADY_MS = 3_000;

function useSteady(latest: Layout | null, search: string) {
  const shown = useRef({ layout: latest, search });
  const until = useRef(0);
  const { layout } = shown.current;
  const isHeld = performance.now() < until.current;
  // Until what was asked for is there, what was there before stays.
  if (latest !== null && (layout === null || !isHeld)) shown.current = { layout: latest, search };
  else if (latest !== null && layout !== null && shown.current.search !== search) {
    // Other filters were asked for, so that this change surprises nobody.
    shown.current = { layout: { ...layout, history: latest.history }, search };
  }
  const hold = () => {
    until.current = performance.now() + STEADY_MS;
  };
  return { layout: shown.current.layout, hold };
}

interface Summary {
  readonly parts: readonly Part[];
  readonly short: string;
  readonly tone: Tone | undefined;
}

/** How many there are, of what, the id of the section that tells of them, and their colour. */
type Part = readonly [number, string, string, (Tone | undefined)?];

/** `1 waits for you, 1 dead, 2 failed in the last hour, 4 under way`: a group is one, with its runtimes. */
function summaryOf(nodes: readonly Node[], history: PastRollouts | null): Summary {
  const late = history?.failed.filter(({ again }) => again?.outcome !== 'Succeeded') ?? [];
  const loud = nodes.filter(({ concern }) => wantsPeople(concern));
  const failed = new Set(late.map(({ rolloutId, parent }) => parent ?? rolloutId));
  for (const { rollout } of loud) failed.delete(rollout.rolloutId);
  const count = (concern: Concern) =>
    nodes.filter((one) => one.concern === concern && !failed.has(one.rollout.rolloutId)).length;
  const asking = count('asking');
  const all: readonly Part[] = [
    [asking, `${asking === 1 ? 'waits' : 'wait'} for you`, 'wants-you', 'wants'],
    [count('dead'), 'dead', 'wants-you', 'bad'],
    [count('stuck'), 'stuck', 'wants-you', 'bad'],
    [failed.size, 'failed in the last hour', 'failed', 'bad'],
    [count('under way'), 'under way', 'under-way', 'rolling'],
    [count('waiting'), 'waiting for a start', 'waiting'],
  ];
  const parts = all.filter(([number]) => number > 0);
  const [first] = parts;
  return {
    parts,
    short: first === undefined ? '' : `${first[0]} ${first[1]}`,
    tone: first?.[3],
  };
}

interface CountsProps {
  readonly summary: Summary | null;
  readonly look: OpenRollouts | null;
}

/** Each count leads to the part of the page that tells of it. */
function Counts({ summary, look }: CountsProps) {
  if (summary === null) return <p class="summary">Reading …</p>;
  const quiet = look?.holds.filter(isQuiet) ?? [];
  const pins = quiet.filter(({ kinds }) => kinds.includes('pin')).length;
  const held = quiet.length - pins;
  const parts: readonly Part[] = [
    ...summary.parts,
    ...(held > 0 ? [[held, 'in quarantine', 'quarantine'] as const] : []),
    ...(pins > 0 ? [[pins, 'pinned', 'quarantine'] as const] : []),
  ];
  return (
    <p class="summary">
      {summary.parts.length === 0 && `All is quiet${quiet.length > 0 ? ', ' : '.'}`}
      {parts.map(([number, words, id], place) => (
        <Fragment key={words}>
          {place > 0 && ', '}
          <a href={`#${id}`}>
            {number} {words}
          </a>
        </Fragment>
      ))}
    </p>
  );
}

interface SectionProps {
  readonly title: string;
  readonly nodes: readonly Node[];
  readonly look: OpenRollouts;
}

function Section({ title, nodes, look }: SectionProps) {
  if (nodes.length === 0) return null;
  const id = title.toLowerCase().replaceAll(' ', '-');
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <div class="rows">
        {nodes.map(({ rollout, children }) => (
          <div key={rollout.rolloutId}>
            <OpenRow {...{ rollout, look }} isSaid={children.length > 0} />
            {children.map((child) => (
              <OpenRow key={child.rolloutId} rollout={child} look={look} isChild />
            ))}
          </div>
        ))}
      </div>
    </section>
  );
}

/** So many of those that failed are told above the history, which has all. */
const MOST_FAILED = 5;

function Failed({ failed, passed, refused }: Pick<PastRollouts, 'failed' | 'passed' | 'refused'>) {
  const quiet = (
    <>
      <Quiet says="Failed in the last hour, and passed by another version since" of={passed} />
      <Quiet says="Refused in the last hour, before anything was written" of={refused} />
    </>
  );
  if (failed.length === 0) return quiet;
  return (
    <section aria-labelledby="failed">
      <h2 id="failed">Failed in the last hour</h2>
      <div class="rows">
        {failed.slice(0, MOST_FAILED).map((one) => (
          <article key={one.rolloutId} class="row" aria-labelledby={`failed-${one.rolloutId}`}>
            <span class="mark">
              <Badge {...stateOfEnded(one)} />
            </span>
            <div class="what">
              <h3 id={`failed-${one.rolloutId}`} title={nameOfRollout(one)}>
                <a href={rolloutPath(one.rolloutId)}>{nameOfRollout(one)}</a>
              </h3>
              <p class="state" title={plainText(one.message ?? '')}>
                {plainText(one.message ?? '')}
              </p>
            </div>
            {one.next !== null && <NextAct rollout={one} says={imperative(one.next)} />}
            <span class="again">
              <Again of={one} />
            </span>
            <span class="end">
              <When at={Date.parse(one.endedAt ?? one.startedAt)} />
            </span>
          </article>
        ))}
      </div>
      {failed.length > MOST_FAILED && (
        <p class="minor">{failed.length - MOST_FAILED} more stand in the history.</p>
      )}
      {quiet}
    </section>
  );
}

interface QuietProps {
  readonly says: string;
  readonly of: readonly PastRollout[];
}

/** What nobody has to look at, in a line. */
function Quiet({ says, of }: QuietProps) {
  if (of.length === 0) return null;
  return (
    <p class="minor">
      {says}:{' '}
      {of.slice(0, MOST_FAILED).map((one, place) => (
        <Fragment key={one.rolloutId}>
          {place > 0 && ', '}
          <a href={rolloutPath(one.rolloutId)}>{nameOfRollout(one)}</a>
        </Fragment>
      ))}
      {of.length > MOST_FAILED && ` and ${of.length - MOST_FAILED} more`}.
    </p>
  );
}

function Nothing() {
  return (
    <section aria-labelledby="history" class="empty">
      <h2 id="history">No rollout yet</h2>
      <p>
        As soon as one is started on this engine, it stands here: what it does, what it wants of
        you, and how it ended.
      </p>
      <Command line="steproll rollout start RUNTIME --version N" />
    </section>
  );
}
