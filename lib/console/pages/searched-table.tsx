import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ListTable } from './list-table.tsx';

interface SearchedTableProps {
  /** The id of the heading above it. */
  readonly title: string;
  /** What the search looks for. */
  readonly label: string;
  readonly columns: readonly ComponentChildren[];
  readonly rows: readonly SearchedRow[];
  /** How many are shown at once. @default 50 */
  readonly few?: number;
}

export interface SearchedRow {
  readonly key: string;
  /** What is searched. */
  readonly text: string;
  /** The first one names the row. */
  readonly cells: () => readonly ComponentChildren[];
}

/** A table of what may be thousands: with a search, and the first ones at once. */
export function SearchedTable({ title, label, columns, rows, few = 50 }: SearchedTableProps) {
  const [text, setText] = useState('');
  const [most, setMost] = useState(few);
  const wanted = text.toLowerCase();
  const found = rows.filter((row) => row.text.toLowerCase().includes(wanted));
  const isMore = found.length > most;
  const id = `find-${title}`;
  return (
    <>
      <div class="field">
        <label for={id}>{label}</label>
        <input
          id={id}
          type="search"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <ListTable
        {...{ title, columns }}
        caption={isMore ? `The first ${most} of ${found.length}` : `${found.length}`}
        rows={found.slice(0, most).map(({ key, cells }) => ({ key, cells: cells() }))}
        onMore={isMore ? () => setMost(most + 500) : null}
      />
    </>
  );
}
