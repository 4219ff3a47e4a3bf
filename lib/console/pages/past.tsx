import { describeDuration } from '../../domain/durations.ts';
import { OUTCOME_KINDS } from '../../domain/rollout/outcome.ts';
import { plainText } from '../../telling/text.ts';
import { nameOfRollout } from '../../telling/words/name.ts';
import type { OpenRollouts, PastRollout, PastRollouts } from '../desk.ts';
import { Badge, stateOfEnded } from './badge.tsx';
import { chipOf, chipsOf, suggestions, withChip, withoutChip, wordsOf } from './chips.ts';
import { ListTable } from './list-table.tsx';
import { starterOf } from './names.ts';
import { goTo, rolloutPath, runtimePath } from './route.ts';
import { When } from './when.tsx';

const FEW = 50;

interface PastProps {
  readonly search: string;
  readonly history: PastRollouts;
  readonly look: OpenRollouts;
}

/** The rollouts that have ended. The filters are in the address, so that it can be sent to somebody else. */
export function Past({ search, history, look }: PastProps) {
  const go = (to: string) => goTo(`/${to}`, 'replace');
  const chips = chipsOf(search);
  const chosenOf = (wanted: string) => chips.find(({ name }) => name === wanted)?.value ?? null;
  const find = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const text = `${new FormData(event.currentTarget).get('filter')}`.trim();
    event.currentTarget.reset();
    if (text !== '') go(withChip(search, chipOf(text, history)));
  };
  const { rollouts, found } = history;
  const tops = rollouts.filter((one) => !isBelow(one, rollouts)).length;
  const id = chosenOf('id');
  const about = chosenOf('runtime');
  const open = look.rollouts.filter(({ rolloutId }) => id !== null && rolloutId.startsWith(id));
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <form class="filters" aria-label="Filters of the history" onSubmit={find}>
        <div class="field">
          <label for="filter">Runtime, version:5, Failed, by:ann, 2026-01-31, or an id</label>
          <input id="filter" name="filter" type="search" list="filters" maxLength={256} />
          <datalist id="filters">
            {suggestions(history).map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </div>
        <Outcomes {...{ search, go }} />
        {chips
          .filter(({ name }) => name !== 'outcome')
          .map((chip) => (
            <button
              type="button"
              key={chip.name}
              aria-label={`Without ${wordsOf(chip)}`}
              onClick={() => go(withoutChip(search, chip))}
            >
              {plainText(wordsOf(chip))} ✕
            </button>
          ))}
        {search !== '' && (
          <button type="button" onClick={() => go('')}>
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
          onMore={() => go(withLimit(search, tops + 4 * FEW))}
        />
      )}
    </section>
  );
}

function withLimit(search: string, limit: number): string {
  const next = new URLSearchParams(search);
  next.set('limit', `${limit}`);
  return `?${next}`;
}

interface OutcomesProps {
  readonly search: string;
  readonly go: (to: string) => void;
}

/** One or several at once. None is the same as all. */
function Outcomes({ search, go }: OutcomesProps) {
  const chosen = chipsOf(search).filter(({ name }) => name === 'outcome');
  return (
    <fieldset class="toggles">
      <legend>Outcome</legend>
      {OUTCOME_KINDS.map((value) => {
        const chip = { name: 'outcome', value } as const;
        const isChosen = chosen.some((one) => one.value === value);
        return (
          <label key={value}>
            <input
              type="checkbox"
              checked={isChosen}
              onChange={() => go(isChosen ? withoutChip(search, chip) : withChip(search, chip))}
            />
            {value}
          </label>
        );
      })}
    </fieldset>
  );
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
