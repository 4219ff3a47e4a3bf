import { countOf } from '../../domain/sentences.ts';
import { plainText } from '../../telling/text.ts';
import { nameOfRollout } from '../../telling/words/name.ts';
import type { FoundEndpoints } from '../desk.ts';
import { useRead } from './fresh.ts';
import { ListTable } from './list-table.tsx';
import { goTo, rolloutPath, runtimePath } from './route.ts';
import { When } from './when.tsx';

/** An alarm has the id of an endpoint, and nobody knows whose it is. */
export function FindEndpoint({ asked }: { readonly asked: string }) {
  const find = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const text = `${new FormData(event.currentTarget).get('endpoint')}`.trim();
    goTo(text === '' ? '/' : `/?endpoint=${encodeURIComponent(text)}`);
  };
  return (
    <form class="find" aria-label="Find an endpoint" onSubmit={find}>
      <input
        name="endpoint"
        type="search"
        aria-label="An endpoint: its name or id, or the beginning"
        placeholder="Endpoint: name or id"
        maxLength={256}
        defaultValue={asked}
      />
      <button type="submit">Find</button>
    </form>
  );
}

/** The endpoints that begin with a text, whatever their runtimes, and where was looked. */
export function Found({ text }: { readonly text: string }) {
  const path = `/api/endpoints?endpoint=${encodeURIComponent(text)}`;
  const { data, fault } = useRead<FoundEndpoints>(path);
  const rows = data?.endpoints.map(({ endpointId, name, runtimeId, fate, since, rollout }) => ({
    key: `${runtimeId} ${endpointId}`,
    cells: [
      <a
        key="name"
        class="name"
        href={rolloutPath(rollout.rolloutId)}
        title={plainText(endpointId)}
      >
        {plainText(name)}
      </a>,
      <a key="runtime" class="name" href={runtimePath(runtimeId)}>
        {plainText(runtimeId)}
      </a>,
      fate,
      since !== null && <When key="since" at={since} />,
      <span key="rollout" class="name">
        {nameOfRollout(rollout)}
      </span>,
    ],
  }));
  return (
    <section aria-labelledby="found">
      <h2 id="found">Endpoints that begin with {plainText(text)}</h2>
      {rows !== undefined && rows.length > 0 && (
        <ListTable
          title="found"
          caption={`${rows.length} of ${data?.found}`}
          columns={['Endpoint', 'Runtime', 'What became of it', 'Since', 'Last rollout']}
          {...{ rows }}
        />
      )}
      <p role="status">{fault ?? (data === null ? 'Looking …' : where(data))}</p>
    </section>
  );
}

function where({ found, rollouts, runtimes }: FoundEndpoints): string {
  const looked = `in the plans of ${countOf(rollouts, 'rollout')}, the newest of ${countOf(runtimes, 'runtime')}`;
  if (found > 0) return `Looked ${looked}.`;
  return `None ${looked}. An endpoint that no rollout has planned is not known here, and the service was not asked.`;
}
