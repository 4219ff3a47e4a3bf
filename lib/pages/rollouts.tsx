import { useContext, useEffect, useRef } from 'preact/hooks';
import { plainText } from '../cli/terminal/text.ts';
import type { History, Look, OpenRollout, PastRollout } from '../console/desk.ts';
import { describeDuration } from '../domain/durations.ts';
import { groupNameOf } from '../domain/rollout/group.ts';
import { OUTCOME_KINDS } from '../domain/rollout/outcome.ts';
import { Badge, stateOfEnded, stateOfOpen, type Tone } from './badge.tsx';
import { Command } from './command.tsx';
import { useRead } from './fresh.ts';
import { StopTheLine } from './holds.tsx';
import { nameOfRollout, starterOf } from './names.ts';
import { goTo, rolloutPath, runtimePath } from './route.ts';
import { StaleContext } from './stale.tsx';
import { Title } from './title.tsx';
import { countOfWaves, WaveBar } from './wave-bars.tsx';
import { When } from './when.tsx';
import { Wide } from './wide.tsx';

interface RolloutsProps {
  readonly search: string;
  readonly look: Look | null;
}

/** What wants people, what has just failed, what is going on, and what happened. */
export function RolloutsPage({ search, look }: RolloutsProps) {
  // Something has begun or ended, so the history may be another one.
  const news = look && `${look.newest} ${look.rollouts.map(({ rolloutId }) => rolloutId)}`;
  const { data: history, fault } = useRead<History>(`/api/rollouts${search}`, news);
  const latest = look === null || history === null ? null : layOut(look, history);
  const { layout, hold } = useSteady(latest, search);
  const summary = look === null ? null : summaryOf(look, history);
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
        <p class="summary">{summary === null ? 'Reading …' : summary.text}</p>
        {look && <StopTheLine look={look} />}
      </div>
      {fault !== null && (
        <p class="trouble" role="alert">
          {fault}
        </p>
      )}
      {/* What stands under the pointer stays there for as long as the pointer moves. */}
      <div class="board" onPointerMove={hold}>
        {layout !== null && look !== null && (
          <>
            <Section title="Wants you" nodes={layout.wants} look={look} />
            <Failed failed={layout.failed} />
            <Section title="Under way" nodes={layout.underWay} look={look} />
            <Section title="Waiting" nodes={layout.waiting} look={look} />
            {layout.isEmpty ? (
              <Nothing />
            ) : (
              <Past search={search} history={layout.history} look={look} />
            )}
          </>
        )}
      </div>
    </>
  );
}

let isFirstView = true;

interface Node {
  readonly rollout: OpenRollout;
  readonly children: readonly OpenRollout[];
}

interface Layout {
  readonly wants: readonly Node[];
  readonly failed: readonly PastRollout[];
  readonly underWay: readonly Node[];
  readonly waiting: readonly Node[];
  readonly history: History;
  readonly isEmpty: boolean;
}

/** A command that somebody has to type stands further in. */
function wantsPeople({ wants, isAbandoned, waiting }: OpenRollout): boolean {
  return isAbandoned || (waiting === null && wants.some((line) => line.startsWith(' ')));
}

function layOut(look: Look, history: History): Layout {
  const open = look.rollouts.toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
  const wants = open.filter(wantsPeople);
  const others = open.filter((one) => !wantsPeople(one));
  const ids = new Set(others.map(({ rolloutId }) => rolloutId));
  const children = Map.groupBy(others, ({ parent }) => parent);
  const toNode = (rollout: OpenRollout): Node => ({
    rollout,
    children: (children.get(rollout.rolloutId) ?? []).toSorted((a, b) =>
      a.runtimeId.localeCompare(b.runtimeId),
    ),
  });
  const tops = others.filter(({ parent }) => parent === null || !ids.has(parent)).map(toNode);
  return {
    wants: wants.map((rollout) => ({ rollout, children: [] })),
    failed: history.failed,
    underWay: tops.filter(({ rollout }) => rollout.waiting === null),
    waiting: tops.filter(({ rollout }) => rollout.waiting !== null),
    history,
    isEmpty: look.newest === null && open.length === 0,
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
  readonly text: string;
  readonly short: string;
  readonly tone: Tone | undefined;
}

/** `1 waits for you, 1 dead, 2 failed in the last hour, 4 under way`. */
function summaryOf({ rollouts }: Look, history: History | null): Summary {
  const count = (fits: (one: OpenRollout) => boolean) => rollouts.filter(fits).length;
  const dead = count(({ isAbandoned }) => isAbandoned);
  const asking = count(wantsPeople) - dead;
  const waiting = count(({ waiting, isAbandoned }) => waiting !== null && !isAbandoned);
  const failed = history?.failed.filter(({ again }) => again?.outcome !== 'Succeeded') ?? [];
  const parts: readonly (readonly [number, string, Tone | undefined])[] = [
    [asking, `${asking === 1 ? 'waits' : 'wait'} for you`, 'wants'],
    [dead, 'dead', 'bad'],
    [failed.length, 'failed in the last hour', 'bad'],
    [rollouts.length - dead - asking - waiting, 'under way', 'rolling'],
    [waiting, 'waiting for a start', undefined],
  ];
  const told = parts.filter(([number]) => number > 0);
  const [first] = told;
  return {
    text: told.map(([number, words]) => `${number} ${words}`).join(', ') || 'All is quiet.',
    short: first === undefined ? '' : `${first[0]} ${first[1]}`,
    tone: first?.[2],
  };
}

interface SectionProps {
  readonly title: string;
  readonly nodes: readonly Node[];
  readonly look: Look;
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
            <OpenRow rollout={rollout} look={look} />
            {children.map((child) => (
              <OpenRow key={child.rolloutId} rollout={child} look={look} isChild />
            ))}
          </div>
        ))}
      </div>
    </section>
  );
}

interface OpenRowProps {
  readonly rollout: OpenRollout;
  readonly look: Look;
  readonly isChild?: boolean;
}

function OpenRow({ rollout: known, look, isChild = false }: OpenRowProps) {
  const { rolloutId } = known;
  const rollout = look.rollouts.find((one) => one.rolloutId === rolloutId);
  const { state, wants, waves, at, isAbandoned } = rollout ?? known;
  // The page of the rollout has the commands, which are further in, and does what they do.
  const sentences = wants
    .filter((line) => !line.startsWith(' '))
    .map((line) => line.replace(/:$/, '.'));
  const title = `title-${rolloutId}`;
  return (
    <article class={`row ${isChild ? 'child' : ''}`} aria-labelledby={title}>
      <span class="mark">
        <Badge {...(rollout ? stateOfOpen(rollout) : { tone: 'waiting', word: 'Has ended' })} />
      </span>
      <div class="what">
        <h3 id={title} title={nameOfRollout(known)}>
          <a href={rolloutPath(rolloutId)}>{nameOfRollout(known)}</a>
        </h3>
        {wantsPeople(known) && (
          <p class="wants-line">
            {isAbandoned
              ? 'Its process seems to be dead. It goes on when somebody resumes it.'
              : sentences.join(' ')}
          </p>
        )}
        <p class="state" title={state}>
          {isAbandoned ? (
            <>
              {state.replace(/, last heard of at .*$/, '')}, last heard of <When at={at} />
            </>
          ) : (
            state
          )}
        </p>
      </div>
      <WaveBar waves={waves} />
      <span class="count">{countOfWaves(waves)}</span>
      <span class="end">
        <When at={Date.parse(known.startedAt)} />
      </span>
    </article>
  );
}

/** So many of those that failed are told above the history, which has all. */
const MOST_FAILED = 5;

function Failed({ failed }: { readonly failed: readonly PastRollout[] }) {
  if (failed.length === 0) return null;
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
    </section>
  );
}

/** What became of the next one that was asked for the same. */
function Again({ of: { again } }: { readonly of: PastRollout }) {
  if (again === null) return null;
  const { outcome, rolloutId } = again;
  const end = outcome === null ? 'under way' : outcome.toLowerCase();
  return <a href={rolloutPath(rolloutId)}>Tried again: {end}</a>;
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

interface Filter {
  readonly name: 'id' | 'runtime' | 'group' | 'outcome' | 'who' | 'from' | 'to';
  readonly label: string;
}

const FILTERS: readonly Filter[] = [
  { name: 'id', label: 'Id, or its beginning' },
  { name: 'runtime', label: 'Runtime' },
  { name: 'group', label: 'Group' },
  { name: 'who', label: 'Started by' },
  { name: 'from', label: 'From (UTC)' },
  { name: 'to', label: 'To (UTC)' },
  { name: 'outcome', label: 'Outcome' },
];

const FEW = 50;

interface PastProps {
  readonly search: string;
  readonly history: History;
  readonly look: Look;
}

/** The rollouts that have ended. The filters are in the address, so that it can be sent to somebody else. */
function Past({ search, history, look }: PastProps) {
  const isStale = useContext(StaleContext);
  const asked = new URLSearchParams(search);
  const change = (name: string, value: string) => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    goTo(next.size === 0 ? '/' : `/?${next}`, 'replace');
  };
  const { rollouts, found } = history;
  const tops = rollouts.filter((one) => !isBelow(one, rollouts)).length;
  const id = asked.get('id');
  const about = asked.get('runtime') || null;
  const open = look.rollouts.filter(({ rolloutId }) => id !== null && rolloutId.startsWith(id));
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <form
        class="filters"
        aria-label="Filters of the history"
        onSubmit={(event) => event.preventDefault()}
      >
        {FILTERS.map(({ name, label }) => {
          const field = {
            ...{ name, value: asked.get(name) ?? '', history },
            onChange: (value: string) => change(name, value),
          };
          return name === 'outcome' ? (
            <Outcomes key={name} {...field} />
          ) : (
            <div key={name} class="field">
              <label for={name}>{label}</label>
              <FilterField {...field} />
            </div>
          );
        })}
        {search !== '' && (
          <button type="button" onClick={() => goTo('/', 'replace')}>
            Show all
          </button>
        )}
      </form>
      {about !== null && (
        <p>
          Its endpoints and versions: <a href={runtimePath(about)}>All of {plainText(about)}</a>
        </p>
      )}
      {open.map((one) => (
        <p key={one.rolloutId}>
          Under way: <a href={rolloutPath(one.rolloutId)}>{nameOfRollout(one)}</a>
        </p>
      ))}
      {found === 0 ? (
        <p>
          {search === ''
            ? 'No rollout has ended yet.'
            : 'No rollout has ended that these filters fit.'}
        </p>
      ) : (
        <PastTable history={history} shown={tops} />
      )}
      {tops < found && (
        <button
          type="button"
          disabled={isStale}
          onClick={() => change('limit', `${tops + 4 * FEW}`)}
        >
          Show more
        </button>
      )}
    </section>
  );
}

interface FieldProps extends Pick<Filter, 'name'> {
  readonly value: string;
  readonly history: History;
  readonly onChange: (value: string) => void;
}

function FilterField({ name, value, history, onChange }: FieldProps) {
  const take = (event: { readonly currentTarget: { readonly value: string } }) =>
    onChange(event.currentTarget.value);
  switch (name) {
    case 'runtime':
    case 'group':
      return (
        <select id={name} value={value} onChange={take}>
          <option value="">any</option>
          {choicesOf(name, history, value).map((id) => (
            <option key={id} value={id}>
              {plainText(id)}
            </option>
          ))}
        </select>
      );
    case 'from':
    case 'to':
      return <input id={name} type="date" value={value} onChange={take} />;
    default:
      return <input id={name} type="search" value={value} onInput={take} />;
  }
}

/** One or several at once. None is the same as all. */
function Outcomes({ value, onChange }: Pick<FieldProps, 'value' | 'onChange'>) {
  const chosen = new Set(value === '' ? [] : value.split(','));
  const toggle = (kind: string) => {
    if (!chosen.delete(kind)) chosen.add(kind);
    onChange(OUTCOME_KINDS.filter((one) => chosen.has(one)).join());
  };
  return (
    <fieldset class="toggles">
      <legend>Outcome</legend>
      {OUTCOME_KINDS.map((kind) => (
        <label key={kind}>
          <input type="checkbox" checked={chosen.has(kind)} onChange={() => toggle(kind)} />
          {kind}
        </label>
      ))}
    </fieldset>
  );
}

/** What is chosen stays a choice, even if no rollout has it. */
function choicesOf(name: 'runtime' | 'group', history: History, value: string): string[] {
  const ids = history.runtimes;
  const groups = ids.flatMap((id) => groupNameOf(id) ?? []);
  const known = name === 'group' ? groups : ids.filter((id) => groupNameOf(id) === null);
  return [...new Set([...known, ...(value === '' ? [] : [value])])];
}

/** Whether its group stands above it. */
function isBelow({ parent }: PastRollout, rollouts: readonly PastRollout[]): boolean {
  return parent !== null && rollouts.some((one) => one.rolloutId === parent);
}

interface PastTableProps {
  readonly history: History;
  /** How many of them stand by themselves. */
  readonly shown: number;
}

function PastTable({ history: { rollouts, found }, shown }: PastTableProps) {
  const rows = rollouts.map((one) => ({ one, isChild: isBelow(one, rollouts) }));
  // What went well in a group needs no line of its own.
  const told = rows.filter(({ one, isChild }) => !isChild || one.outcome !== 'Succeeded');
  const wellIn = (id: string) =>
    rows.filter(({ one }) => one.parent === id && one.outcome === 'Succeeded').length;
  return (
    <Wide title="history">
      <table class="list past">
        <caption>{shown < found ? `The last ${shown} of ${found}` : `All ${found}`}</caption>
        <thead>
          <tr>
            <th scope="col">Outcome</th>
            <th scope="col">Rollout</th>
            <th scope="col">Ended</th>
            <th scope="col">Took</th>
            <th scope="col">Started by</th>
          </tr>
        </thead>
        <tbody>
          {told.map(({ one, isChild }) => (
            <PastRow
              key={one.rolloutId}
              rollout={one}
              isChild={isChild}
              well={wellIn(one.rolloutId)}
            />
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

interface PastRowProps {
  readonly rollout: PastRollout;
  readonly isChild: boolean;
  /** How many of its runtimes have succeeded. */
  readonly well: number;
}

function PastRow({ rollout, isChild, well }: PastRowProps) {
  const { rolloutId, startedAt, endedAt, seconds, again, outcome } = rollout;
  const name = nameOfRollout(rollout);
  return (
    <tr class={isChild ? 'child' : ''}>
      <td>
        <Badge {...stateOfEnded(rollout)} />
      </td>
      <th scope="row">
        <a class="name" href={rolloutPath(rolloutId)} title={name}>
          {name}
        </a>
        {well > 0 && (
          <span class="minor">
            {well} {well === 1 ? 'runtime has' : 'runtimes have'} succeeded
          </span>
        )}
        {again !== null && outcome !== 'Succeeded' && <Again of={rollout} />}
      </th>
      <td>
        <When at={Date.parse(endedAt ?? startedAt)} />
      </td>
      <td>{seconds === null ? '' : describeDuration(seconds * 1000)}</td>
      <td>
        <span class="name">{starterOf(rollout)}</span>
      </td>
    </tr>
  );
}
