import type { OpenRollouts, ReportStory } from '../desk.ts';
import { ToCopy } from './command.tsx';
import { Cut } from './cut.tsx';
import { useRead } from './fresh.ts';
import { goTo, rolloutPath } from './route.ts';
import { Title } from './title.tsx';
import { Trouble } from './trouble.tsx';

interface ReportProps {
  readonly search: string;
  readonly look: OpenRollouts | null;
}

/** What happened since a time, as a page and as text: what one shift hands over to the next. */
export function ReportPage({ search, look }: ReportProps) {
  const since = new URLSearchParams(search).get('since') ?? '8h';
  const news = look?.rollouts.map(({ rolloutId, stamp }) => `${rolloutId} ${stamp}`).join();
  const path = `/api/report?${new URLSearchParams({ since })}`;
  const { data, fault } = useRead<ReportStory>(path, `${look?.newest} ${news}`);
  const show = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const text = `${new FormData(event.currentTarget).get('since')}`.trim();
    goTo(`/report?${new URLSearchParams({ since: text })}`, 'replace');
  };
  return (
    <>
      <div class="head">
        <Title text="Report" />
        {data?.summary.map((line) => (
          <p key={line} class="lead">
            {line}
          </p>
        ))}
      </div>
      <form class="filters" onSubmit={show}>
        <div class="field">
          <label for="since">Since: 8h, 22:00Z, or a day and time</label>
          <input id="since" name="since" required maxLength={256} defaultValue={since} />
        </div>
        <button type="submit" class="main">
          Show
        </button>
      </form>
      <Trouble fault={fault} />
      {data === null && fault === null && <p>Reading …</p>}
      {data?.sections.map(({ title, lines }) => (
        <section key={title} aria-labelledby={`report-${title}`}>
          <h2 id={`report-${title}`}>{title}</h2>
          <div class="told">
            <ul>
              {lines.map(({ before, name, rest, rolloutId }) => (
                <li key={rest}>
                  {before}
                  {rolloutId === null ? name : <a href={rolloutPath(rolloutId)}>{name}</a>}{' '}
                  <Cut text={rest} />
                </li>
              ))}
            </ul>
          </div>
        </section>
      ))}
      {data !== null && (
        <section aria-labelledby="paste">
          <h2 id="paste">To paste</h2>
          <ToCopy text={data.text} called="the report" />
        </section>
      )}
    </>
  );
}
