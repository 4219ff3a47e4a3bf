import { useState } from 'preact/hooks';
import type { RehearsalStory } from '../console/desk.ts';
import { post } from './server.ts';
import { Timeline } from './timeline.tsx';
import { Title } from './title.tsx';

/** A rollout in virtual time, on the fleet as it is listed now. Nothing is changed. */
export function RehearsalPage({ search }: { readonly search: string }) {
  const asked = new URLSearchParams(search);
  const [runtime, setRuntime] = useState(asked.get('runtime') ?? '');
  const [version, setVersion] = useState(asked.get('version') ?? '');
  const [faults, setFaults] = useState('none');
  const [seed, setSeed] = useState('1');
  const [story, setStory] = useState<RehearsalStory | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  const rehearse = async (event: Event) => {
    event.preventDefault();
    setAsked(true);
    setFault(null);
    try {
      setStory(await post<RehearsalStory>('/api/rehearsals', { runtime, version, faults, seed }));
    } catch (error) {
      setStory(null);
      setFault(error instanceof Error ? error.message : String(error));
    }
    setAsked(false);
  };
  return (
    <>
      <Title text="Rehearsal" />
      <p>
        The real workflow on a simulation of the fleet, in virtual time. The service is only asked
        for its list, and nothing is changed.
      </p>
      <form class="filters" onSubmit={rehearse}>
        <div class="field">
          <label for="runtime">Runtime</label>
          <input
            id="runtime"
            required
            value={runtime}
            onInput={(event) => setRuntime(event.currentTarget.value)}
          />
        </div>
        <div class="field">
          <label for="version">Version, or latest</label>
          <input
            id="version"
            required
            value={version}
            onInput={(event) => setVersion(event.currentTarget.value)}
          />
        </div>
        <div class="field">
          <label for="faults">What goes wrong</label>
          <select
            id="faults"
            value={faults}
            onChange={(event) => setFaults(event.currentTarget.value)}
          >
            <option value="none">nothing</option>
            <option value="few">few things</option>
            <option value="many">many things</option>
          </select>
        </div>
        {faults !== 'none' && (
          <div class="field">
            <label for="seed">Seed: another one draws others</label>
            <input
              id="seed"
              required
              value={seed}
              onInput={(event) => setSeed(event.currentTarget.value)}
            />
          </div>
        )}
        <button type="submit" disabled={isAsked}>
          Rehearse
        </button>
      </form>
      <p role="status">{isAsked ? 'Rehearsing …' : ''}</p>
      {fault !== null && (
        <p class="trouble" role="alert">
          {fault}
        </p>
      )}
      {story !== null && (
        <section aria-labelledby="rehearsed">
          <h2 id="rehearsed">How it goes</h2>
          {story.course && <Timeline course={story.course} caption="In time" />}
          <pre>{story.lines.join('\n')}</pre>
        </section>
      )}
    </>
  );
}
