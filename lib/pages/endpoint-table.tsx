import { useState } from 'preact/hooks';
import type { Story } from '../console/desk.ts';
import { fateInWords, nameOfEndpoint } from './endpoint-grid.tsx';
import { lifeInWords } from './endpoint-life.ts';
import { Wide } from './wide.tsx';

const FEW = 100;

/** The endpoints of the plan as a table, for those who cannot use the grid, and to look for a name. */
export function EndpointTable({ story }: { readonly story: Pick<Story, 'report' | 'fates'> }) {
  const [text, setText] = useState('');
  const [most, setMost] = useState(FEW);
  const wanted = text.toLowerCase();
  const found = story.report.endpoints
    .map((endpoint) => ({
      ...endpoint,
      shown: nameOfEndpoint(endpoint),
      words: fateInWords(endpoint, story),
    }))
    .filter(({ shown, words }) => `${shown} ${words}`.toLowerCase().includes(wanted));
  return (
    <details>
      <summary>As a table</summary>
      <div class="field">
        <label for="find-endpoint">Name or what became of it</label>
        <input
          id="find-endpoint"
          type="search"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <Wide title="endpoints">
        <table class="list">
          <caption>
            {found.length > most ? `The first ${most} of ${found.length}` : `${found.length}`}
          </caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Wave</th>
              <th scope="col">Version before</th>
              <th scope="col">What became of it</th>
              <th scope="col">When, in UTC</th>
            </tr>
          </thead>
          <tbody>
            {found
              .slice(0, most)
              .map(({ endpointId, shown, wave, previousVersion, words, life }) => (
                <tr key={endpointId}>
                  <th scope="row">{shown}</th>
                  <td>{wave}</td>
                  <td>{previousVersion ?? 'not known'}</td>
                  <td>{words}</td>
                  <td>{lifeInWords(life)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </Wide>
      {found.length > most && (
        <button type="button" onClick={() => setMost(most + 10 * FEW)}>
          Show more
        </button>
      )}
    </details>
  );
}
