import { nameOfRollout } from '../../telling/words/name.ts';
import type { OpenRollouts, RuntimeStory, ToldRollout } from '../desk.ts';
import { Badge, stateOfEnded, stateOfOpen } from './badge.tsx';
import { compareRows } from './compare-rows.ts';
import { Cut } from './cut.tsx';
import { useRead } from './fresh.ts';
import { ListTable } from './list-table.tsx';
import { goTo, rolloutPath, runtimePath } from './route.ts';
import { Title } from './title.tsx';
import { Trouble } from './trouble.tsx';

interface CompareProps {
  readonly search: string;
  readonly look: OpenRollouts | null;
}

/** Two rollouts side by side. Both stand in the address, so that it can be sent to somebody else. */
export function ComparePage({ search, look }: CompareProps) {
  const asked = new URLSearchParams(search);
  const one = asked.get('one') ?? '';
  const first = useStory(one, look);
  const runtime = first.data?.report.runtimeId;
  const known = useRead<RuntimeStory>(
    runtime === undefined ? null : `/api${runtimePath(runtime)}?versions=1`,
  );
  const choices = known.data?.newest.filter(({ rolloutId }) => rolloutId !== one) ?? [];
  // What came before it is what one asks about most.
  const before = choices.find(
    ({ startedAt }) => startedAt < (first.data?.report.startedAt ?? startedAt),
  );
  const other = asked.get('other') ?? before?.rolloutId ?? choices[0]?.rolloutId ?? '';
  const second = useStory(other, look);
  const choose = (id: string) =>
    goTo(`/compare?${new URLSearchParams({ one, other: id })}`, 'replace');
  const isAlone = known.data !== null && choices.length === 0 && other === '';
  return (
    <>
      <div class="head">
        <Title text="Compare two rollouts" />
      </div>
      {choices.length > 0 && (
        <div class="filters">
          <div class="field">
            <label for="other">With</label>
            <select
              id="other"
              value={other}
              onChange={(event) => choose(event.currentTarget.value)}
            >
              {!choices.some(({ rolloutId }) => rolloutId === other) && (
                <option value={other}>{other}</option>
              )}
              {choices.map((choice) => (
                <option key={choice.rolloutId} value={choice.rolloutId}>
                  {nameOfRollout(choice)}, {choice.outcome?.toLowerCase() ?? 'under way'},{' '}
                  {choice.startedAt.slice(0, 16).replace('T', ' ')}Z
                </option>
              ))}
            </select>
          </div>
        </div>
      )}
      {one === '' && <p>Open a rollout, and choose “Compare” there.</p>}
      {isAlone && <p>There is no other rollout of it.</p>}
      <Trouble fault={first.fault ?? second.fault ?? known.fault} />
      {first.data !== null && second.data !== null && (
        <Side one={first.data} other={second.data} look={look} />
      )}
    </>
  );
}

function useStory(id: string, look: OpenRollouts | null) {
  const open = look?.rollouts.find(({ rolloutId }) => rolloutId === id);
  return useRead<ToldRollout>(id === '' ? null : `/api${rolloutPath(id)}`, open?.stamp ?? 'ended');
}

interface SideProps extends Pick<CompareProps, 'look'> {
  readonly one: ToldRollout;
  readonly other: ToldRollout;
}

function Side({ one, other, look }: SideProps) {
  const head = (story: ToldRollout) => {
    const open = look?.rollouts.find(({ rolloutId }) => rolloutId === story.report.rolloutId);
    return (
      <>
        <a href={rolloutPath(story.report.rolloutId)}>{nameOfRollout(story.report)}</a>{' '}
        <Badge {...(open ? stateOfOpen(open) : stateOfEnded(story.report))} />
      </>
    );
  };
  const rows = compareRows(one, other);
  const different = rows.filter((row) => row.one !== row.other).length;
  return (
    <section aria-labelledby="compared">
      <h2 id="compared">Side by side</h2>
      <ListTable
        title="compared"
        look="compared"
        caption={`${different} of ${rows.length} are different`}
        columns={['What', head(one), head(other)]}
        rows={rows.map((row) => ({
          key: row.title,
          look: row.one === row.other ? 'minor' : '',
          cells: [
            row.title,
            <Cut key="one" text={row.one} />,
            <Cut key="other" text={row.other} />,
          ],
        }))}
      />
    </section>
  );
}
