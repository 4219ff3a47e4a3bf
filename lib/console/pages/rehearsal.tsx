import { useState } from 'preact/hooks';
import type { RehearsalStory } from '../desk.ts';
import { Badge } from './badge.tsx';
import { Cut } from './cut.tsx';
import { useRead } from './fresh.ts';
import { goTo } from './route.ts';
import { post } from './server.ts';
import { Timeline } from './timeline.tsx';
import { Title } from './title.tsx';
import { Trouble } from './trouble.tsx';

/** A rollout in virtual time, on the fleet as it is listed now. Nothing is changed. */
export function RehearsalPage({ search }: { readonly search: string }) {
  const asked = new URLSearchParams(search);
  const [faults, setFaults] = useState('none');
  const [story, setStory] = useState<RehearsalStory | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  const known = useRead<{ readonly runtimes: readonly string[] }>('/api/rehearsals');
  const rehearse = async (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const { runtime = '', version = '', ...how } = saidIn(event.currentTarget);
    goTo(`/rehearsal?${new URLSearchParams({ runtime, version })}`, 'replace');
    setAsked(true);
    setFault(null);
    try {
      setStory(await post<RehearsalStory>('/api/rehearsals', { runtime, version, ...how }));
    } catch (error) {
      setStory(null);
      setFault(error instanceof Error ? error.message : String(error));
    }
    setAsked(false);
  };
  const [verdict = '', ...why] = story?.end ?? [];
  return (
    <>
      <div class="head">
        <Title text="Rehearsal" />
        <p class="lead">
          The real workflow on a simulation of the fleet as it is listed now: nothing is changed.
        </p>
      </div>
      <form class="filters" onSubmit={rehearse}>
        <TextField
          name="runtime"
          label="Runtime"
          value={asked.get('runtime') ?? ''}
          known={known.data?.runtimes}
        />
        <TextField name="version" label="Version, or latest" value={asked.get('version') ?? ''} />
        <div class="field">
          <label for="faults">What goes wrong</label>
          <select
            id="faults"
            name="faults"
            value={faults}
            onChange={(event) => setFaults(event.currentTarget.value)}
          >
            <option value="none">nothing</option>
            <option value="few">few things</option>
            <option value="many">many things</option>
          </select>
        </div>
        {faults !== 'none' && (
          <TextField name="seed" label="Seed: another one draws others" value="1" />
        )}
        <button type="submit" class="main" disabled={isAsked}>
          Rehearse
        </button>
      </form>
      <p role="status">{isAsked ? 'Rehearsing …' : ''}</p>
      <Trouble fault={fault} />
      {story !== null && (
        <section aria-labelledby="rehearsed">
          <h2 id="rehearsed">
            <Badge tone={story.hasSucceeded ? 'good' : 'bad'} word={verdict.slice(2)} />
          </h2>
          {why.map((line) => (
            <p key={line} class="lead">
              <Cut text={line.trim()} />
            </p>
          ))}
          <p class="minor">{story.title}</p>
          <Lines title="A real one would not start now" lines={story.held} />
          <Lines title="Where it ends" lines={story.fates} />
          <Lines title="What goes wrong" lines={story.wentWrong} />
          {story.course && <Timeline course={story.course} caption="Timeline" />}
          <Lines title="What it takes" lines={story.took} />
          <Folded title="What happens" lines={story.happened} />
          <Folded title="Plan" lines={story.plan} />
        </section>
      )}
    </>
  );
}

/** What stands in the fields of a form, by their names. */
function saidIn(form: HTMLFormElement): Readonly<Record<string, string>> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, `${value}`]));
}

interface LinesProps {
  readonly title: string;
  readonly lines: readonly string[];
}

function Lines({ title, lines }: LinesProps) {
  if (lines.length === 0) return null;
  return (
    <div class="told">
      <h3>{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>
            <Cut text={line} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Folded({ title, lines }: LinesProps) {
  if (lines.length === 0) return null;
  return (
    <details>
      <summary>{title}</summary>
      <pre>{lines.join('\n')}</pre>
    </details>
  );
}

interface TextFieldProps {
  readonly name: string;
  readonly label: string;
  /** What stands in it at first. */
  readonly value: string;
  /** What the browser suggests. @default - nothing */
  readonly known?: readonly string[] | undefined;
}

function TextField({ name, label, value, known }: TextFieldProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input id={name} name={name} required list={known && `${name}s`} defaultValue={value} />
      {known && (
        <datalist id={`${name}s`}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </div>
  );
}
