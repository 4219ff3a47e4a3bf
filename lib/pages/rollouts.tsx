import { useEffect, useState } from 'preact/hooks';
import { dateTime, plainText } from '../cli/terminal/text.ts';
import type { History, Look, OpenRollout } from '../console/desk.ts';
import type { ListedRollout } from '../contract/output/listed.ts';
import { describeDuration } from '../domain/durations.ts';
import { groupNameOf } from '../domain/rollout/group.ts';
import { nameOfOutcome, OUTCOME_KINDS, type OutcomeKind } from '../domain/rollout/outcome.ts';
import { nameOfRollout, starterOf, startOf } from './names.ts';
import { goTo, rolloutPath } from './route.ts';
import { read } from './server.ts';
import { Timeline } from './timeline.tsx';
import { Title } from './title.tsx';
import { WaveBars } from './wave-bars.tsx';
import { Wide } from './wide.tsx';

interface RolloutsProps {
  readonly search: string;
  readonly look: Look | null;
}

/** What is going on, what waits, and what happened. */
export function RolloutsPage({ search, look }: RolloutsProps) {
  const open = look?.rollouts ?? [];
  const underWay = open.filter(({ waiting }) => waiting === null);
  const waiting = open.filter(({ waiting }) => waiting !== null);
  return (
    <>
      <Title text="Rollouts" />
      <section aria-labelledby="under-way">
        <h2 id="under-way">Under way</h2>
        {look === null && <p>Reading …</p>}
        {look !== null && underWay.length === 0 && <p>No rollout is under way.</p>}
        {underWay.map((rollout) => (
          <OpenCard key={rollout.rolloutId} rollout={rollout} />
        ))}
      </section>
      {waiting.length > 0 && (
        <section aria-labelledby="waiting">
          <h2 id="waiting">Waiting</h2>
          {waiting.map((rollout) => (
            <OpenCard key={rollout.rolloutId} rollout={rollout} />
          ))}
        </section>
      )}
      <Past search={search} look={look} />
    </>
  );
}

function OpenCard({ rollout }: { readonly rollout: OpenRollout }) {
  const { rolloutId, state, wants, waves, course, news, parent } = rollout;
  // The page of the rollout has the commands, which are further in, and does what they do.
  const sentences = wants
    .filter((line) => !line.startsWith(' '))
    .map((line) => line.replace(/:$/, '.'));
  return (
    <article class="card" aria-labelledby={`title-${rolloutId}`}>
      <h3 id={`title-${rolloutId}`}>
        <a href={rolloutPath(rolloutId)}>{nameOfRollout(rollout)}</a>
      </h3>
      <p class="state">{state}</p>
      {sentences.length > 0 && <p class="wants">{sentences.join(' ')}</p>}
      <WaveBars waves={waves} />
      <Timeline course={course} caption="In time" />
      {news.length > 0 && (
        <ul class="news" aria-label="The last news">
          {news.map(({ at, text }) => (
            <li key={`${at} ${text}`}>
              <time>{dateTime(at)}</time> {text}
            </li>
          ))}
        </ul>
      )}
      <p class="minor">
        Started by {startOf(rollout)}
        {parent !== null && (
          <>
            , of the rollout <a href={rolloutPath(parent)}>{plainText(parent)}</a>
          </>
        )}
      </p>
    </article>
  );
}

interface Filter {
  readonly name: 'runtime' | 'group' | 'outcome' | 'who' | 'from' | 'to';
  readonly label: string;
}

const FILTERS: readonly Filter[] = [
  { name: 'runtime', label: 'Runtime' },
  { name: 'group', label: 'Group' },
  { name: 'outcome', label: 'Outcome' },
  { name: 'who', label: 'Started by' },
  { name: 'from', label: 'From (UTC)' },
  { name: 'to', label: 'To (UTC)' },
];

const FEW = 50;

/** The rollouts that have ended. The filters are in the address, so that it can be sent to somebody else. */
function Past({ search, look }: RolloutsProps) {
  const [history, setHistory] = useState<History | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  // Something has begun or ended, so the history may be another one.
  const news = look && `${look.newest} ${look.rollouts.map(({ rolloutId }) => rolloutId)}`;
  useEffect(() => {
    const asking = new AbortController();
    read<History>(`/api/rollouts${search}`, asking.signal).then(
      (found) => {
        setHistory(found);
        setFault(null);
      },
      (error: Error) => asking.signal.aborted || setFault(error.message),
    );
    return () => asking.abort();
  }, [search, news]);
  const asked = new URLSearchParams(search);
  const change = (name: string, value: string) => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    goTo(next.size === 0 ? '/' : `/?${next}`, 'replace');
  };
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <form
        class="filters"
        aria-label="Filters of the history"
        onSubmit={(event) => event.preventDefault()}
      >
        {FILTERS.map(({ name, label }) => (
          <div key={name} class="field">
            <label for={name}>{label}</label>
            <FilterField
              name={name}
              value={asked.get(name) ?? ''}
              history={history}
              onChange={(value) => change(name, value)}
            />
          </div>
        ))}
      </form>
      {fault !== null && (
        <p class="trouble" role="alert">
          {fault}
        </p>
      )}
      {history && <PastTable history={history} />}
      {history && history.rollouts.length < history.found && (
        <button
          type="button"
          onClick={() => change('limit', `${history.rollouts.length + 4 * FEW}`)}
        >
          Show more
        </button>
      )}
    </section>
  );
}

interface FieldProps extends Pick<Filter, 'name'> {
  readonly value: string;
  readonly history: History | null;
  readonly onChange: (value: string) => void;
}

function FilterField({ name, value, history, onChange }: FieldProps) {
  const take = (event: { readonly currentTarget: { readonly value: string } }) =>
    onChange(event.currentTarget.value);
  switch (name) {
    case 'outcome':
      return (
        <select id={name} value={value} onChange={take}>
          <option value="">any</option>
          {OUTCOME_KINDS.map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </select>
      );
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
      return <input id={name} type="search" value={value} onChange={take} />;
  }
}

/** What is chosen stays a choice, even if no rollout has it. */
function choicesOf(name: 'runtime' | 'group', history: History | null, value: string): string[] {
  const ids = history?.runtimes ?? [];
  const groups = ids.flatMap((id) => groupNameOf(id) ?? []);
  const known = name === 'group' ? groups : ids.filter((id) => groupNameOf(id) === null);
  return [...new Set([...known, ...(value === '' ? [] : [value])])];
}

function PastTable({ history: { rollouts, found } }: { readonly history: History }) {
  if (found === 0) return <p>No rollout has ended that these filters fit.</p>;
  return (
    <Wide title="history">
      <table class="list">
        <caption>
          {rollouts.length < found ? `The newest ${rollouts.length} of ${found}` : `All ${found}`}
        </caption>
        <thead>
          <tr>
            <th scope="col">Outcome</th>
            <th scope="col">Rollout</th>
            <th scope="col">Began</th>
            <th scope="col">Took</th>
            <th scope="col">Started by</th>
          </tr>
        </thead>
        <tbody>
          {rollouts.map((rollout) => (
            <PastRow key={rollout.rolloutId} rollout={rollout} />
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

function PastRow({ rollout }: { readonly rollout: ListedRollout }) {
  const { rolloutId, startedAt, seconds, outcome, reason } = rollout;
  return (
    <tr>
      <td>
        <span class={`outcome ${outcome}`}>
          {outcome && plainText(outcomeOf(outcome, reason ?? ''))}
        </span>
      </td>
      <th scope="row">
        <a href={rolloutPath(rolloutId)}>{nameOfRollout(rollout)}</a>
      </th>
      <td>{dateTime(Date.parse(startedAt))}</td>
      <td>{seconds === null ? '' : describeDuration(seconds * 1000)}</td>
      <td>{starterOf(rollout)}</td>
    </tr>
  );
}

/** A success needs no reason, because it went as planned. */
function outcomeOf(outcome: OutcomeKind, reason: string): string {
  return outcome === 'Succeeded' ? outcome : nameOfOutcome({ outcome, reason });
}
