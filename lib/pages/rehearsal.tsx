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
      <div class="head">
        <Title text="Rehearsal" />
        <p class="lead">
          The real workflow on a simulation of the fleet, in virtual time. The service is only asked
          for its list, and nothing is changed.
        </p>
      </div>
      <form class="filters" onSubmit={rehearse}>
        <TextField name="runtime" label="Runtime" value={runtime} onInput={setRuntime} />
        <TextField name="version" label="Version, or latest" value={version} onInput={setVersion} />
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
          <TextField
            name="seed"
            label="Seed: another one draws others"
            value={seed}
            onInput={setSeed}
          />
        )}
        <button type="submit" class="main" disabled={isAsked}>
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
          {story.course && <Timeline course={story.course} caption="Timeline" />}
          {partsOf(story.lines).map(({ title, text }) => (
            <div key={title} class="told">
              <h3>{title}</h3>
              {text !== '' && <pre>{text}</pre>}
            </div>
          ))}
        </section>
      )}
    </>
  );
}

/** What the command prints: the parts have an empty line between them, and what belongs to a title stands further in. */
function partsOf(lines: readonly string[]) {
  return lines
    .join('\n')
    .split('\n\n')
    .map((part) => {
      const [title = '', ...rest] = part.split('\n');
      return { title, text: rest.join('\n').replace(/^ {2}/gm, '') };
    });
}

interface TextFieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function TextField({ name, label, value, onInput }: TextFieldProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        required
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}
