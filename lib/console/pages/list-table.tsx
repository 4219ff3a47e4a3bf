import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { StaleContext } from './stale.tsx';

export interface ListRow {
  readonly key: string | number;
  /** How it looks. @default - like any other */
  readonly look?: string;
  readonly cells: readonly ComponentChildren[];
}

interface ListTableProps {
  /** The id of the heading above it. */
  readonly title: string;
  readonly caption: string;
  readonly columns: readonly ComponentChildren[];
  /** The place of the cell that names a row. @default 0 */
  readonly named?: number;
  /** How it looks. @default - like any other */
  readonly look?: string;
  readonly rows: readonly ListRow[];
  /** Shows more of it. `null`: there is no more. @default null */
  readonly onMore?: (() => void) | null;
}

/** A table of the first ones of what may be thousands. */
export function ListTable(props: ListTableProps) {
  const { title, caption, columns, named = 0, look = '', rows, onMore = null } = props;
  const isStale = useContext(StaleContext);
  return (
    <>
      {/* It can have the focus, so that the arrow keys scroll it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without it a keyboard could not scroll. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields. */}
      <div class="scroll" role="group" aria-labelledby={title} tabIndex={0}>
        <table class={`list ${look}`}>
          <caption>{caption}</caption>
          <thead>
            <tr>
              {columns.map((column, place) => (
                <th scope="col" key={place}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key} class={row.look}>
                {row.cells.map((cell, place) =>
                  place === named ? (
                    <th scope="row" key={place}>
                      {cell}
                    </th>
                  ) : (
                    <td key={place}>{cell}</td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {onMore !== null && (
        <button type="button" disabled={isStale} onClick={onMore}>
          Show more
        </button>
      )}
    </>
  );
}
