import { describeDuration } from '../../domain/durations.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { OUTCOME_KINDS } from '../../domain/rollout/outcome.ts';
import { plainText } from '../../telling/text.ts';
import { nameOfRollout } from '../../telling/words/name.ts';
import type { OpenRollouts, PastRollout, PastRollouts } from '../desk.ts';
import { Badge, stateOfEnded } from './badge.tsx';
import { ListTable } from './list-table.tsx';
import { starterOf } from './names.ts';
import { goTo, rolloutPath, runtimePath } from './route.ts';
import { When } from './when.tsx';

interface Filter {
  readonly name: 'id' | 'runtime' | 'group' | 'who' | 'from' | 'to';
  readonly label: string;
}

const FILTERS: readonly Filter[] = [
  { name: 'id', label: 'Id, or its beginning' },
  { name: 'runtime', label: 'Runtime' },
  { name: 'group', label: 'Group' },
  { name: 'who', label: 'Started by' },
  { name: 'from', label: 'From (UTC)' },
  { name: 'to', label: 'To (UTC)' },
];

const FEW = 50;

interface PastProps {
  readonly search: string;
  readonly history: PastRollouts;
  readonly look: OpenRollouts;
}

/** The rollouts that have ended. The filters are in the address, so that it can be sent to somebody else. */
export function Past({ search, history, look }: PastProps) {
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
        {FILTERS.map(({ name, label }) => (
          <div key={name} class="field">
            <label for={name}>{label}</label>
            <FilterField
              {...{ name, value: asked.get(name) ?? '', history }}
              onChange={(value) => change(name, value)}
            />
          </div>
        ))}
        <Outcomes
          value={asked.get('outcome') ?? ''}
          onChange={(value) => change('outcome', value)}
        />
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
        <PastTable
          {...{ history }}
          shown={tops}
          onMore={() => change('limit', `${tops + 4 * FEW}`)}
        />
      )}
    </section>
  );
}

interface FieldProps extends Pick<Filter, 'name'> {
  readonly value: string;
  readonly history: PastRollouts;
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
function choicesOf(name: 'runtime' | 'group', history: PastRollouts, value: string): string[] {
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
  readonly history: PastRollouts;
  /** How many of them stand by themselves. */
  readonly shown: number;
  readonly onMore: () => void;
}

function PastTable({ history: { rollouts, found }, shown, onMore }: PastTableProps) {
  const wellIn = (id: string) =>
    rollouts.filter(({ parent, outcome }) => parent === id && outcome === 'Succeeded').length;
  const rows = rollouts.flatMap((one) => {
    const { rolloutId, startedAt, endedAt, seconds, again, outcome } = one;
    const isChild = isBelow(one, rollouts);
    // What went well in a group needs no line of its own.
    if (isChild && outcome === 'Succeeded') return [];
    const well = wellIn(rolloutId);
    const name = nameOfRollout(one);
    const title = (
      <>
        <a class="name" href={rolloutPath(rolloutId)} title={name}>
          {name}
        </a>
        {well > 0 && (
          <span class="minor">
            {well} {well === 1 ? 'runtime has' : 'runtimes have'} succeeded
          </span>
        )}
        {again !== null && outcome !== 'Succeeded' && <Again of={one} />}
      </>
    );
    const cells = [
      <Badge key="badge" {...stateOfEnded(one)} />,
      title,
      <When key="end" at={Date.parse(endedAt ?? startedAt)} />,
      seconds === null ? '' : describeDuration(seconds * 1000),
      <span key="who" class="name">
        {starterOf(one)}
      </span>,
    ];
    return [{ key: rolloutId, look: isChild ? 'child' : '', cells }];
  });
  return (
    <ListTable
      title="history"
      look="past"
      named={1}
      caption={shown < found ? `The last ${shown} of ${found}` : `All ${found}`}
      columns={['Outcome', 'Rollout', 'Ended', 'Took', 'Started by']}
      rows={rows}
      onMore={shown < found ? onMore : null}
    />
  );
}

/** What became of the next one that was asked for the same. */
export function Again({ of: { again } }: { readonly of: PastRollout }) {
  if (again === null) return null;
  const { outcome, rolloutId } = again;
  const end = outcome === null ? 'under way' : outcome.toLowerCase();
  return <a href={rolloutPath(rolloutId)}>Tried again: {end}</a>;
}
