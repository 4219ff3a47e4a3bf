import type { ToldRollout } from '../desk.ts';
import { fateInWords, nameOfEndpoint } from './endpoint-grid.tsx';
import { lifeInWords } from './endpoint-life.ts';
import { type SearchedRow, SearchedTable } from './searched-table.tsx';

const COLUMNS = ['Name', 'Wave', 'Version before', 'What became of it', 'When, in UTC'];

/** The endpoints of the plan as a table, for those who cannot use the grid, and to look for a name. */
export function EndpointTable({
  story,
}: {
  readonly story: Pick<ToldRollout, 'report' | 'fates'>;
}) {
  const rows = story.report.endpoints.map((endpoint): SearchedRow => {
    const { endpointId, wave, previousVersion, life } = endpoint;
    const name = nameOfEndpoint(endpoint);
    const words = fateInWords(endpoint, story);
    return {
      key: endpointId,
      text: `${name} ${words}`,
      cells: () => [name, wave, previousVersion ?? 'not known', words, lifeInWords(life)],
    };
  });
  return (
    <details>
      <summary>As a table</summary>
      <SearchedTable
        title="endpoints"
        label="Name or what became of it"
        columns={COLUMNS}
        rows={rows}
      />
    </details>
  );
}
